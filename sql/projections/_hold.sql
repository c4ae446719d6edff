-- Notes that a new holder of a lane of a version begins to apply events, under the lane's lock, in a transaction of its own.
-- Returns how many holders began at this checkpoint one after another: each but the last ended without moving it, maybe
-- because an event ends the process that applies it. Returns too which event the holders before applied alone, and how many
-- of them ended then.
CREATE OR REPLACE FUNCTION projection.hold(
  version text, leader text, lane smallint, "position" bigint, OUT began integer, OUT alone bigint, OUT tries integer)
LANGUAGE sql AS $$
  INSERT INTO projection.holding AS h (schema_name, leader, lane, position, began)
  VALUES (version, leader, lane, hold.position, 1)
  ON CONFLICT ON CONSTRAINT holding_pkey DO UPDATE
  SET began = CASE WHEN h.position = excluded.position THEN h.began + 1 ELSE 1 END, position = excluded.position
  RETURNING h.began, h.alone, h.tries
$$;

-- Notes that the holder is about to apply one event alone, if there is one.
CREATE OR REPLACE FUNCTION projection.hold_alone(version text, leader text, lane smallint, "position" bigint) RETURNS void
LANGUAGE sql AS $$
  UPDATE projection.holding h
  SET alone = hold_alone.position, tries = CASE WHEN h.alone = hold_alone.position THEN h.tries + 1 ELSE 1 END
  WHERE (h.schema_name, h.leader, h.lane) = (version, hold_alone.leader, hold_alone.lane)
    AND hold_alone.position <= (SELECT s.settled_position FROM log.state s)
$$;
