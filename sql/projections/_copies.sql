-- The events of other cells, of some kinds, in a batch: as projection.batch those of this one.
CREATE OR REPLACE FUNCTION projection.copies(after bigint, upto bigint) RETURNS SETOF log.event
LANGUAGE sql STABLE AS $$
  SELECT e.*
  FROM log.upcast_copy e
  WHERE e.position > after AND e.position <= upto
    AND e.position <> ALL (ARRAY(
      SELECT s.position FROM projection.set_aside s
      WHERE s.schema_name = current_schema() AND s.leader = current_setting('notilog.projection', true)
        AND s.lane = projection.current_lane()
        AND s.position > after AND s.position <= upto))
    AND NOT coalesce(e.received_at >= (
      SELECT nullif(current_setting('notilog.received_before', true), '')::timestamptz), false)
    AND NOT coalesce((e.received_at < (SELECT b.floor FROM projection.begun() b)
        AND e.position <= (SELECT b.held FROM projection.begun() b))
      OR (e.received_at < (SELECT b.next_floor FROM projection.begun() b)
        AND e.position <= (SELECT b.upto FROM projection.begun() b)), false)
$$;

-- Of other cells the registrations of categories, and what records that their device was erased: every lane reads them, as it does
-- those of other lanes.
CREATE OR REPLACE FUNCTION projection.copies_for_lanes(after bigint, upto bigint) RETURNS SETOF log.event
LANGUAGE sql STABLE AS $$
  SELECT * FROM projection.copies(after, upto) e WHERE e.kind IN ('category_registration', 'erasure')
$$;

-- Of other cells what bears on a token that is known here.
CREATE OR REPLACE FUNCTION projection.copies_of_tokens(after bigint, upto bigint) RETURNS SETOF log.event
LANGUAGE sql STABLE AS $$
  SELECT * FROM projection.copies(after, upto) e WHERE e.kind IN ('token', 'push_result')
$$;

-- The events of other cells that the version being applied includes after a batch: as projection.applied those of this one.
CREATE OR REPLACE FUNCTION projection.copies_applied(upto bigint) RETURNS SETOF log.event
LANGUAGE sql STABLE AS $$
  SELECT e.*
  FROM log.upcast_copy e
  WHERE e.position <= greatest(upto, (SELECT nullif(current_setting('notilog.applied', true), '')::bigint))
    AND e.position <> ALL (ARRAY(
      SELECT s.position FROM projection.set_aside s
      WHERE s.schema_name = current_schema() AND s.leader = current_setting('notilog.projection', true)
        AND s.lane = projection.current_lane()))
    AND NOT coalesce(e.received_at >= (
      SELECT nullif(current_setting('notilog.received_before', true), '')::timestamptz), false)
$$;
