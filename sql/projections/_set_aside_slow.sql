-- Sets aside the events at positions after < position <= upto of devices with an event that a version has set aside for
-- exceeding the time limit. Returns their number.
CREATE OR REPLACE FUNCTION projection.set_aside_slow(version text, leader text, lane smallint, after bigint, upto bigint, error text) RETURNS bigint
LANGUAGE sql AS $$
  WITH known AS (
    SELECT DISTINCT e.app_id, e.device_id
    FROM projection.set_aside s JOIN log.event e USING (position)
    WHERE (s.schema_name, s.leader, s.lane, s.sqlstate) = (version, set_aside_slow.leader, set_aside_slow.lane, '57014') AND e.device_id <> ''
  ), added AS (
    INSERT INTO projection.set_aside (schema_name, leader, lane, position, sqlstate, error)
    SELECT version, set_aside_slow.leader, set_aside_slow.lane, e.position, '57014', set_aside_slow.error
    FROM log.event e JOIN known USING (app_id, device_id)
    WHERE e.position > after AND e.position <= upto
    ON CONFLICT DO NOTHING
    RETURNING 1
  )
  SELECT count(*) FROM added
$$;
