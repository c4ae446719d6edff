-- Checks whether the log has moved since the last check, or is behind a settled position that the caller knows of an
-- incarnation; if so, it begins a new incarnation, and returns true. Several sessions may check at once: one move gives one
-- new incarnation, recorded by the first of them.
--
-- Call it before the settled position first moves on a new server: later events have positions beyond it, so the log is
-- known to be the one that its readers saw up to that position, and no further. If the sequence was left behind, as logical
-- replication does, it is moved past every position in the log.
CREATE OR REPLACE FUNCTION log.note_place(known_settled bigint DEFAULT 0, known_incarnation uuid DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  here text := log.place();
  was  log.state;
  why  text;
  last bigint;
BEGIN
  SELECT * INTO was FROM log.state;
  IF was.place = here AND was.settled_position >= known_settled THEN
    RETURN false;
  END IF;
  SELECT * INTO was FROM log.state FOR UPDATE;
  IF was.place = here AND was.incarnation <> known_incarnation THEN
    RETURN false;   -- another session has recorded it
  END IF;
  why := CASE
    WHEN was.settled_position < known_settled THEN 'it was set back'
    WHEN was.place = here OR was.place IS NULL THEN NULL
    WHEN split_part(was.place, '/', 1) <> split_part(here, '/', 1) THEN 'another cluster'
    WHEN split_part(was.place, '/', 2) <> split_part(here, '/', 2) THEN 'another database'
    ELSE 'another timeline'
  END;
  IF why IS NOT NULL THEN
    PERFORM log.new_incarnation(was.settled_position, why);
  END IF;
  SELECT greatest(max(position), was.settled_position) INTO last FROM log.event;
  IF last > log.drawn_position() THEN
    PERFORM setval('log.position', last);
  END IF;
  UPDATE log.state SET place = here WHERE place IS DISTINCT FROM here;
  RETURN why IS NOT NULL;
END $$;
