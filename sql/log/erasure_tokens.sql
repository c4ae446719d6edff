-- The token digests of a device that are nobody else's: those that another device has events of, one that is not erased,
-- are that device's and stay until it is erased, too.
CREATE OR REPLACE FUNCTION log.erasure_tokens(app integer, device text) RETURNS bytea[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  tokens bytea[];
  shared bytea[];
  "table" record;
BEGIN
  SELECT coalesce(array_agg(DISTINCT token), '{}') INTO tokens
  FROM log.event WHERE app_id = app AND device_id = device AND token IS NOT NULL;
  FOR "table" IN SELECT * FROM log.erasure_tables() WHERE has_token LOOP
    EXECUTE format('SELECT $3 || coalesce(array_agg(DISTINCT token), ''{}'') FROM %s WHERE app_id = $1 AND device_id = $2 AND NOT token = ANY ($3)', "table".name)
    INTO tokens USING app, device, tokens;
  END LOOP;

  SELECT array_agg(DISTINCT e.token) INTO shared
  FROM log.event e
  WHERE e.app_id = app AND e.token = ANY (tokens) AND e.kind IN ('token', 'push_result') AND e.device_id NOT IN ('', device)
    AND NOT log.is_surrogate(e.device_id);
  FOR "table" IN SELECT * FROM log.erasure_tables() WHERE has_token LOOP
    EXECUTE format(
      'SELECT $4 || array_agg(DISTINCT token) FROM %s WHERE app_id = $1 AND device_id NOT IN ('''', $2) AND token = ANY ($3) AND NOT log.is_surrogate(device_id)',
      "table".name)
    INTO shared USING app, device, tokens, shared;
  END LOOP;
  RETURN (SELECT coalesce(array_agg(DISTINCT token), '{}') FROM unnest(tokens) AS t (token) WHERE shared IS NULL OR token <> ALL (shared));
END $$;
