-- Up to which position this log is the incarnation that a reader knows: events that the reader has seen beyond it may be
-- lost, and their positions assigned again. Null for an incarnation that this log never had.
CREATE OR REPLACE FUNCTION log.common_position(known uuid) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(
    (SELECT min(later.position) FROM log.incarnation later WHERE later.number > i.number),
    log.drawn_position())
  FROM log.incarnation i
  WHERE i.incarnation = known
$$;
