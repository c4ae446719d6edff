-- Makes the log another one to its readers: a cursor that was given before is good only as far as `same_up_to`, the
-- position up to which the log is known to be what it was.
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
