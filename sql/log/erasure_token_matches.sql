-- Tokens of the ledger that the database holds without any of their devices: other devices' events carry them, as in a dump
-- made before the device registered its own. Reads every token.
CREATE OR REPLACE FUNCTION log.erasure_token_matches() RETURNS TABLE (app_id integer, tokens bytea[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  "table" record;
  sources text := 'SELECT app_id, token FROM log.event UNION SELECT app_id, log.quarantined_token(item) FROM log.quarantine';
BEGIN
  FOR "table" IN SELECT * FROM log.erasure_tables() WHERE has_token LOOP
    sources := sources || format(' UNION SELECT app_id, token FROM %s', "table".name);
  END LOOP;
  RETURN QUERY EXECUTE format($query$
    SELECT here.app_id, array_agg(here.token)
    FROM (%s) here, log.erasure_keys() k
    WHERE here.token IS NOT NULL AND here.app_id IN (SELECT e.app_id FROM log.erasure e)
      AND (here.app_id, hashtextextended(encode(here.token, 'hex'), k.seed),
          log.keyed_hash(k.inner_pad, k.outer_pad, here.app_id || ' token ' || encode(here.token, 'hex')))
        IN (SELECT e.app_id, e.bucket, e.key FROM log.erasure e WHERE e.what = 'token')
      AND NOT log.is_registered(here.app_id, here.token)
    GROUP BY here.app_id
    ORDER BY here.app_id
  $query$, sources);
END $$;
