-- The ledger as lines of JSON, for a copy outside the database: a first line that identifies its secret, then one line a
-- device or token. An app's number is in the hash of its devices.
CREATE OR REPLACE FUNCTION log.erasure_export() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT jsonb_build_object('notilog_ledger', 1, 'proof', encode(k.proof, 'hex'))::text FROM log.erasure_keys() k
  UNION ALL
  SELECT l.line FROM (
    SELECT jsonb_build_object('app', a.name, 'app_id', a.app_id, 'what', e.what, 'bucket', e.bucket::text, 'key', encode(e.key, 'hex'),
      'erased_at', e.erased_at)::text AS line
    FROM log.erasure e
    JOIN notilog.app a USING (app_id)
    ORDER BY e.erased_at, e.key
  ) l
$$;
