-- The events of a batch, for every projection: those at positions after < position <= upto that the version now being
-- applied (current_schema, and the setting notilog.projection for its group) has not set aside. With the setting
-- notilog.received_before only those received before that time, for a baseline. Those that the version held from its
-- beginning, out of the baseline, are left out. Their data are in the current version of their kind.
--
-- Plain SQL that the planner takes into the query around it. What is set aside is read once a statement.
CREATE OR REPLACE FUNCTION projection.batch(after bigint, upto bigint) RETURNS SETOF log.event
LANGUAGE sql STABLE AS $$
  SELECT e.*
  FROM log.upcast_event e
  WHERE e.position > after AND e.position <= upto
    AND e.position <> ALL (ARRAY(
      SELECT s.position FROM projection.set_aside s
      WHERE s.schema_name = current_schema() AND s.leader = current_setting('notilog.projection', true)
        AND s.lane = projection.current_lane()
        AND s.position > after AND s.position <= upto))
    AND NOT coalesce(e.received_at >= (
      SELECT nullif(current_setting('notilog.received_before', true), '')::timestamptz), false)
    AND NOT coalesce(e.received_at < (SELECT b.floor FROM projection.begun() b)
      OR (e.received_at < (SELECT b.next_floor FROM projection.begun() b)
        AND e.position <= (SELECT b.upto FROM projection.begun() b)), false)
$$;
