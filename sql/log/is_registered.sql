-- Whether a device whose erasure has not begun registered a token. Retention may have dropped the registration.
CREATE OR REPLACE FUNCTION log.is_registered(app integer, digest bytea) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM (
      SELECT e.device_id FROM log.event e WHERE e.app_id = app AND e.token = digest AND e.kind = 'token'
      UNION ALL
      SELECT c.device_id FROM log.copy c WHERE c.app_id = app AND c.token = digest AND c.kind = 'token'
      UNION ALL
      SELECT t.device_id FROM projection.device_token t WHERE t.app_id = app AND t.token = digest
    ) r
    WHERE NOT log.is_surrogate(r.device_id)
      AND NOT EXISTS (SELECT FROM log.erasure_pending p WHERE (p.app_id, p.device_id) = (app, r.device_id)));
END $$;
