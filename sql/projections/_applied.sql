-- Every event that the version being applied includes after a batch up to `upto`: for a projection that has to read a device
-- again. An event set aside and applied later comes alone (the setting notilog.applied is the version's checkpoint then).
CREATE OR REPLACE FUNCTION projection.applied(upto bigint) RETURNS SETOF log.event
LANGUAGE sql STABLE AS $$
  SELECT e.*
  FROM log.upcast_event e
  WHERE e.position <= greatest(upto, (SELECT nullif(current_setting('notilog.applied', true), '')::bigint))
    AND e.position <> ALL (ARRAY(
      SELECT s.position FROM projection.set_aside s
      WHERE s.schema_name = current_schema() AND s.leader = current_setting('notilog.projection', true)
        AND s.lane = projection.current_lane()))
    AND NOT coalesce(e.received_at >= (
      SELECT nullif(current_setting('notilog.received_before', true), '')::timestamptz), false)
$$;
