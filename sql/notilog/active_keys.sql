-- The valid keys, each with its app and the app's switches.
CREATE OR REPLACE FUNCTION notilog.active_keys()
RETURNS TABLE (key_id text, hash bytea, scope text, app_id integer, keep_reply_text boolean, hash_ids boolean, app text)
LANGUAGE sql STABLE AS $$
  SELECT k.key_id, k.hash, k.scope, a.app_id, a.keep_reply_text, a.hash_ids, a.name
  FROM notilog.api_key k
  JOIN notilog.app a USING (app_id)
  WHERE k.revoked_at IS NULL
$$;
