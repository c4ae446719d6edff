-- Creates a key on behalf of a key of scope admin, in that key's app. Returns made; not_admin if that key is no longer valid;
-- or too_many at the limit of valid keys of an app. It keeps the same number of revoked keys, the newest.
CREATE OR REPLACE FUNCTION notilog.make_key(maker text, key_id text, scope text, hash bytea, label text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  most constant integer := 1000;
  app  integer;
BEGIN
  SELECT a.app_id INTO app
  FROM notilog.api_key k JOIN notilog.app a USING (app_id)
  WHERE k.key_id = maker AND k.scope = 'admin' AND k.revoked_at IS NULL
  FOR NO KEY UPDATE OF a;   -- one at a time, so that the count holds
  IF app IS NULL THEN
    RETURN 'not_admin';
  END IF;
  IF (SELECT count(*) FROM notilog.api_key k WHERE k.app_id = app AND k.revoked_at IS NULL) >= most THEN
    RETURN 'too_many';
  END IF;
  DELETE FROM notilog.api_key k
  WHERE k.key_id IN (
    SELECT r.key_id FROM notilog.api_key r
    WHERE r.app_id = app AND r.revoked_at IS NOT NULL
    ORDER BY r.revoked_at DESC, r.key_id
    OFFSET most);
  INSERT INTO notilog.api_key (key_id, app_id, scope, hash, label) VALUES (key_id, app, scope, hash, label);
  PERFORM notilog.notify_keys();
  RETURN 'made';
END $$;
