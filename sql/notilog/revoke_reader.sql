-- Revokes a database role's access to an app, at once, even if the role no longer exists. Returns whether it had access. Run
-- by a member of notilog_owner.
CREATE OR REPLACE FUNCTION notilog.revoke_reader(app text, reader text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM notilog.reader_app g USING notilog.app a
  WHERE a.name = app AND g.app_id = a.app_id AND g.role_name = reader;
  RETURN FOUND;
END $$;
