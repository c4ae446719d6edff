-- The token digests, of those given, that other devices hold which are not erased: tokens they registered and, if none of
-- `devices` registered a token either, tokens in any of their events. Retention may have dropped the registrations: the
-- tables of tokens still have them. A device may have any number of tokens: they are joined, because a list would be searched
-- for each row.
CREATE OR REPLACE FUNCTION log.held_tokens(app integer, devices text[], tokens bytea[]) RETURNS bytea[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  own     bytea[];   -- that `devices` registered
  held    bytea[];
  "table" record;
BEGIN
  SELECT array_agg(DISTINCT token) FILTER (WHERE device_id = ANY (devices)),
    array_agg(DISTINCT token) FILTER (WHERE device_id <> ALL (devices) AND NOT log.is_surrogate(device_id))
  INTO own, held
  FROM (
    SELECT e.token, e.device_id FROM unnest(tokens) AS t (token) JOIN log.event e USING (token)
    WHERE e.app_id = app AND e.kind = 'token'
    UNION ALL
    SELECT c.token, c.device_id FROM unnest(tokens) AS t (token) JOIN log.copy c USING (token)
    WHERE c.app_id = app AND c.kind = 'token'
  ) e;
  FOR "table" IN
    SELECT t.name FROM log.erasure_tables() t
    JOIN pg_attribute a ON a.attrelid = t.name::regclass AND a.attname = 'registered_at' AND NOT a.attisdropped
    WHERE t.has_token
  LOOP
    EXECUTE format(
      'SELECT $4 || array_agg(DISTINCT token) FILTER (WHERE device_id = ANY ($2)),
         $5 || array_agg(DISTINCT token) FILTER (WHERE device_id <> ALL ($2) AND NOT log.is_surrogate(device_id))
       FROM unnest($3) AS t (token) JOIN %s r USING (token) WHERE r.app_id = $1', "table".name)
    INTO own, held USING app, devices, tokens, own, held;
  END LOOP;

  tokens := ARRAY(SELECT unnest(tokens) EXCEPT SELECT unnest(own));
  SELECT held || array_agg(DISTINCT token) INTO held
  FROM unnest(tokens) AS t (token) JOIN log.event e USING (token)
  WHERE e.app_id = app AND device_id <> '' AND device_id <> ALL (devices) AND NOT log.is_surrogate(device_id);
  FOR "table" IN SELECT * FROM log.erasure_tables() WHERE has_token LOOP
    EXECUTE format(
      'SELECT $4 || array_agg(DISTINCT token) FROM unnest($3) AS t (token) JOIN %s r USING (token)
       WHERE r.app_id = $1 AND device_id <> '''' AND device_id <> ALL ($2) AND NOT log.is_surrogate(device_id)', "table".name)
    INTO held USING app, devices, tokens, held;
  END LOOP;
  RETURN coalesce(held, '{}');
END $$;
