-- Sets the one event at `after` + 1 aside, which a lane of a version of a group could not apply, and moves the lane past it.
-- In a transaction of its own, under the lane's lock.
--
-- The caller has applied the group to no event at all: had that failed too, no event would be at fault. Nor is one if `most`
-- events among the last `among` positions failed with the same error: then it returns false. For events that exceeded the time
-- limit (57014) it counts devices, because the amount of a device's data takes the time.
CREATE OR REPLACE FUNCTION projection.set_aside(
  version text, leader text, lane smallint, after bigint, sqlstate text, error text, most integer, among bigint
) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT CASE WHEN set_aside.sqlstate = '57014' THEN count(DISTINCT (e.app_id, e.device_id)) ELSE count(*) END >= most
      FROM projection.set_aside s LEFT JOIN log.event e USING (position)
      WHERE s.schema_name = version AND s.leader = set_aside.leader AND s.lane = set_aside.lane AND s.sqlstate = set_aside.sqlstate
        AND s.position > after - among) THEN
    RETURN false;
  END IF;
  INSERT INTO projection.set_aside AS s (schema_name, leader, lane, position, sqlstate, error)
  VALUES (version, leader, lane, after + 1, sqlstate, error)
  ON CONFLICT ON CONSTRAINT set_aside_pkey DO UPDATE
  SET sqlstate = excluded.sqlstate, error = excluded.error, attempts = s.attempts + 1, tried_at = now();
  IF NOT projection.move(version, leader, lane, after, after + 1) THEN
    RAISE EXCEPTION 'the checkpoint of % was moved by another service', leader USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN true;
END $$;
