-- Looks whether the log has moved since somebody last looked, or is behind what the caller has known to be settled of an
-- incarnation; if so, it is another incarnation from here on. Gives whether it is. Several may look at once: of one move there is one
-- new incarnation, noted by whoever comes first.
--
-- To be called before the settled position moves for the first time at a new place: whatever is appended there stands
-- beyond it, so up to it, and no further, the log is known to be the one that its readers saw. Where the sequence was left
-- behind, as logical replication does, it is moved past every position in the log.
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
    RETURN false;   -- somebody else has noted it
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
  IF last > (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM log.position) THEN
    PERFORM setval('log.position', last);
  END IF;
  UPDATE log.state SET place = here WHERE place IS DISTINCT FROM here;
  RETURN why IS NOT NULL;
END $$;
