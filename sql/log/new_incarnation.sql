-- Begins a new incarnation of the log: an earlier cursor is valid only up to `same_up_to`, the position up to which the log
-- is unchanged.
CREATE OR REPLACE FUNCTION log.new_incarnation(same_up_to bigint, reason text) RETURNS uuid
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  made uuid := gen_random_uuid();
BEGIN
  UPDATE log.state SET incarnation = made;
  INSERT INTO log.incarnation (number, incarnation, position, place, reason)
  SELECT max(i.number) + 1, made, same_up_to, log.place(), new_incarnation.reason FROM log.incarnation i;
  RETURN made;
END $$;
