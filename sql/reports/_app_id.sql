-- An app's number by its name.
CREATE OR REPLACE FUNCTION reporting.app_id(app text) RETURNS integer
LANGUAGE plpgsql STABLE AS $$
DECLARE
  found_id integer;
BEGIN
  SELECT a.app_id INTO found_id FROM notilog.app a WHERE a.name = app;
  IF found_id IS NULL THEN
    -- The same of an app that the role may not read: that there is one is not told.
    RAISE EXCEPTION USING ERRCODE = 'RP404', DETAIL = 'app',
      MESSAGE = format('there is no app "%s" that you may read: see readable.app; `notilog apps grant` lets a role read one', app);
  END IF;
  RETURN found_id;
END $$;
