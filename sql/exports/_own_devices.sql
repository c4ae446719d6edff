-- The devices with events in a range of the log: for rows that depend on their own device's events alone.
CREATE OR REPLACE FUNCTION export.own_devices(app integer, after bigint, upto bigint) RETURNS text[]
LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(DISTINCT e.device_id), '{}')
  FROM log.event e
  WHERE e.app_id = app AND e.position > after AND e.position <= upto AND e.device_id <> ''
$$;
