-- The lane of an event among cells, from 0 to 7: that of its device; without one that of its token, else of its id. A cell has whole
-- lanes. The service computes the same (Sources/EventLog/Cells/EventLane.swift).
CREATE OR REPLACE FUNCTION log.event_lane(device text, token bytea, id uuid) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN device <> '' THEN log.lane(device)
    WHEN token IS NOT NULL THEN get_byte(token, 0) & 7
    ELSE get_byte(uuid_send(id), 15) & 7 END
$$;
