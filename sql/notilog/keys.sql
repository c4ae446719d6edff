-- Keys of an app, or of all, including revoked ones, newest last; without their hashes.
CREATE OR REPLACE FUNCTION notilog.keys(app text)
RETURNS TABLE (key_id text, app_name text, scope text, label text, created_at timestamptz, revoked_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT k.key_id, a.name, k.scope, k.label, k.created_at, k.revoked_at
  FROM notilog.api_key k
  JOIN notilog.app a USING (app_id)
  WHERE app IS NULL OR a.name = app
  ORDER BY k.created_at, k.key_id
$$;
