-- Devices of the ledger that the database holds, as after the restore of a dump older than their erasure. Reads every device.
CREATE OR REPLACE FUNCTION log.erasure_matches() RETURNS TABLE (app_id integer, device_id text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  "table" record;
  sources text := 'SELECT DISTINCT app_id, device_id FROM log.event UNION SELECT app_id, log.quarantined_device(item) FROM log.quarantine';
BEGIN
  FOR "table" IN SELECT * FROM log.erasure_tables() LOOP
    sources := sources || format(' UNION SELECT app_id, device_id FROM %s', "table".name);
  END LOOP;
  RETURN QUERY EXECUTE format($query$
    SELECT here.app_id, here.device_id
    FROM (%s) here, log.erasure_keys() k
    WHERE here.device_id <> '' AND here.app_id IN (SELECT e.app_id FROM log.erasure e)
      AND (here.app_id, hashtextextended(here.device_id, k.seed), log.keyed_hash(k.inner_pad, k.outer_pad, here.app_id || ':' || here.device_id))
        IN (SELECT e.app_id, e.bucket, e.key FROM log.erasure e WHERE e.what = 'device')
    ORDER BY 1, 2
  $query$, sources);
END $$;
