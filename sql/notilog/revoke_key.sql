-- Revokes a key on behalf of a key of scope admin of the same app; returns whether there is such a key. A revoked key stays
-- revoked.
CREATE OR REPLACE FUNCTION notilog.revoke_key(maker text, key text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE notilog.api_key k
  SET revoked_at = coalesce(k.revoked_at, now())
  FROM notilog.api_key m
  WHERE m.key_id = maker AND m.scope = 'admin' AND m.revoked_at IS NULL AND k.app_id = m.app_id AND k.key_id = key;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM notilog.notify_keys();
  RETURN true;
END $$;
