-- Moves the checkpoint of a version of a group, in the transaction of its rows. False if it was not at `from`: another service
-- has moved it.
CREATE OR REPLACE FUNCTION projection.move(version text, leader text, from_position bigint, to_position bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  unfinished bigint := projection.unfinished_after(version, leader);
BEGIN
  IF version = 'projection' THEN
    INSERT INTO projection.checkpoint AS c (name, position, updated_at, unfinished_after)
    VALUES (leader, to_position, clock_timestamp(), unfinished)
    ON CONFLICT (name) DO UPDATE
    SET position = excluded.position, updated_at = excluded.updated_at, failure = NULL,
      unfinished_after = excluded.unfinished_after
    WHERE c.position = from_position;
  ELSE
    UPDATE projection.version v
    SET position = to_position, target = (SELECT s.settled_position FROM log.state s), updated_at = clock_timestamp(),
      unfinished_after = unfinished
    WHERE (v.schema_name, v.leader, v.position) = (version, move.leader, from_position);
  END IF;
  RETURN FOUND;
END $$;
