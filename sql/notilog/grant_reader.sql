-- Lets a database role read an app in reports, projections and the log, and makes it a member of notilog_reader. Returns
-- whether that is new. Run by a member of notilog_owner.
CREATE OR REPLACE FUNCTION notilog.grant_reader(app text, reader text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  app_number integer := (SELECT a.app_id FROM notilog.app a WHERE a.name = app);
BEGIN
  IF app_number IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'RP404', DETAIL = 'app',
      MESSAGE = format('there is no app %s: create it with `notilog apps create %1$s`, or see `notilog apps list`', app);
  END IF;
  -- Every reader is a member of notilog_reader, and the service's logins of the others.
  IF reader ~ '^notilog_(owner|writer|projector|reader)$' THEN
    RAISE EXCEPTION USING ERRCODE = 'RP404', DETAIL = 'to',
      MESSAGE = format('%s is a role of Notilog itself, and logins are members of it: name the login that may read the app', reader);
  END IF;
  IF coalesce(reader, '') = '' THEN
    RAISE EXCEPTION USING ERRCODE = 'RP404', DETAIL = 'to', MESSAGE = 'the name of the database role is empty: name the login that may read the app';
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = reader) THEN
    RAISE EXCEPTION USING ERRCODE = 'RP404', DETAIL = 'to',
      MESSAGE = format('there is no database role %s: create it with CREATE ROLE %I LOGIN', reader, reader);
  END IF;
  IF NOT pg_has_role(reader, 'notilog_reader', 'MEMBER') THEN
    EXECUTE format('GRANT notilog_reader TO %I', reader);
  END IF;
  INSERT INTO notilog.reader_app (role_name, app_id) VALUES (reader, app_number) ON CONFLICT DO NOTHING;
  RETURN FOUND;
END $$;
