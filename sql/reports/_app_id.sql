-- An app's number by its name.
CREATE OR REPLACE FUNCTION reporting.app_id(app text) RETURNS integer
LANGUAGE plpgsql STABLE AS $$
DECLARE
  found_id integer;
BEGIN
  SELECT a.app_id INTO found_id FROM notilog.app a WHERE a.name = app;
  IF found_id IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'RP404', MESSAGE = format('there is no app "%s"', app), DETAIL = 'app';
  END IF;
  RETURN found_id;
END $$;
