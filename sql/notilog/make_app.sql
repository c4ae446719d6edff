-- Creates an app with its first key, of scope admin, on behalf of a key of scope admin of another app, which cannot see the
-- new app. Returns made; not_admin if that key is no longer valid; taken if the name is in use; made_by_key if the app of that
-- key was created in this way; or too_many at the limit of apps that one app creates.
CREATE OR REPLACE FUNCTION notilog.make_app(maker text, name text, key_id text, hash bytea) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  most constant integer := 100;
  app  notilog.app;
  made integer;
BEGIN
  SELECT a.* INTO app
  FROM notilog.api_key k JOIN notilog.app a USING (app_id)
  WHERE k.key_id = maker AND k.scope = 'admin' AND k.revoked_at IS NULL
  FOR NO KEY UPDATE OF a;
  IF app.app_id IS NULL THEN
    RETURN 'not_admin';
  ELSIF app.made_by IS NOT NULL THEN
    RETURN 'made_by_key';
  ELSIF (SELECT count(*) FROM notilog.app a WHERE a.made_by = app.app_id) >= most THEN
    RETURN 'too_many';
  END IF;
  INSERT INTO notilog.app (name, made_by) VALUES (name, app.app_id)
  ON CONFLICT DO NOTHING
  RETURNING app_id INTO made;
  IF made IS NULL THEN
    RETURN 'taken';
  END IF;
  INSERT INTO notilog.api_key (key_id, app_id, scope, hash, label) VALUES (key_id, made, 'admin', hash, 'made with the app');
  PERFORM notilog.notify_keys();
  RETURN 'made';
END $$;
