-- How far this log is the one of an incarnation that a reader knows: what the reader has seen beyond it may be gone, and
-- its position drawn again. Null for an incarnation that this log never was.
CREATE OR REPLACE FUNCTION log.common_position(known uuid) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(
    (SELECT min(later.position) FROM log.incarnation later WHERE later.number > i.number),
    (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM log.position))
  FROM log.incarnation i
  WHERE i.incarnation = known
$$;
