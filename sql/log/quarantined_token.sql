-- The digest of the token of a quarantined item; null if it has none.
CREATE OR REPLACE FUNCTION log.quarantined_token(item jsonb) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT decode(substring(coalesce(item->>'token', item#>>'{push,token}') FROM '^sha256:([0-9a-f]{64})$'), 'hex')
$$;
