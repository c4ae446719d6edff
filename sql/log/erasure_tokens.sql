-- The token digests that belong to a device alone: a token that another device holds (log.held_tokens) and that is not
-- erased belongs to that device, and stays until that device is erased.
CREATE OR REPLACE FUNCTION log.erasure_tokens(app integer, device text) RETURNS bytea[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  tokens bytea[];
  "table" record;
BEGIN
  SELECT coalesce(array_agg(DISTINCT token), '{}') INTO tokens
  FROM log.event WHERE app_id = app AND device_id = device AND token IS NOT NULL;
  FOR "table" IN SELECT * FROM log.erasure_tables() WHERE has_token LOOP
    EXECUTE format('SELECT $3 || coalesce(array_agg(DISTINCT token), ''{}'') FROM %s WHERE app_id = $1 AND device_id = $2', "table".name)
    INTO tokens USING app, device, tokens;
  END LOOP;
  tokens := ARRAY(SELECT DISTINCT t FROM unnest(tokens) AS u (t) WHERE t IS NOT NULL);   -- copies may have none
  RETURN ARRAY(SELECT unnest(tokens) EXCEPT SELECT unnest(log.held_tokens(app, ARRAY[device], tokens)));
END $$;
