-- Moves the checkpoint of a lane of a version of a group, in the transaction of its rows. Says whether it was at `from`, else another
-- service has moved it; and whether the lane has slices left to do.
CREATE OR REPLACE FUNCTION projection.move_lane(
  version text, leader text, lane smallint, from_position bigint, to_position bigint, OUT is_moved boolean, OUT is_unfinished boolean)
LANGUAGE plpgsql AS $$
DECLARE
  unfinished bigint := projection.unfinished_after(version, leader, lane);
BEGIN
  IF version = 'projection' THEN
    INSERT INTO projection.checkpoint AS c (name, lane, position, updated_at, unfinished_after)
    VALUES (leader, lane, to_position, clock_timestamp(), unfinished)
    ON CONFLICT ON CONSTRAINT checkpoint_pkey DO UPDATE
    SET position = excluded.position, updated_at = excluded.updated_at, failure = NULL,
      unfinished_after = excluded.unfinished_after
    WHERE c.position = from_position;
  ELSE
    UPDATE projection.version_lane l
    SET position = to_position, unfinished_after = unfinished
    WHERE (l.schema_name, l.leader, l.lane, l.position) = (version, move_lane.leader, move_lane.lane, from_position);
  END IF;
  is_moved := FOUND;
  is_unfinished := unfinished IS NOT NULL;
  -- A service of an earlier release adds nothing to the snapshots that are kept. With gaps they would be wrong: without them the
  -- next service that needs them gathers them again.
  IF is_moved AND to_position > from_position AND leader = 'notification'
      AND current_setting('notilog.keeps_snapshots', true) IS DISTINCT FROM 'true' THEN
    DELETE FROM projection.kept_snapshot k
    USING projection.version v
    WHERE (v.schema_name, v.leader) = (version, move_lane.leader) AND k.version_id = v.version_id
      AND log.lane(k.device_id) % greatest(v.lanes, 1::smallint) = move_lane.lane;
  END IF;
END $$;

-- The same for who needs to know only whether it was there.
CREATE OR REPLACE FUNCTION projection.move(version text, leader text, lane smallint, from_position bigint, to_position bigint)
RETURNS boolean
LANGUAGE sql AS $$ SELECT m.is_moved FROM projection.move_lane(version, leader, lane, from_position, to_position) m $$;
