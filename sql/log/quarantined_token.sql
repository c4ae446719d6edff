-- The digest of the token that a quarantined item is of; null where it holds none.
CREATE OR REPLACE FUNCTION log.quarantined_token(item jsonb) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT decode(substring(coalesce(item->>'token', item#>>'{push,token}') FROM '^sha256:([0-9a-f]{64})$'), 'hex')
$$;
