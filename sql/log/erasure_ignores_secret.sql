-- Whether this session's secret of the ledger has no effect: a device was erased without one, so the key stays the random one in the
-- database.
CREATE OR REPLACE FUNCTION log.erasure_ignores_secret() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT nullif(current_setting('notilog.erasure_secret', true), '') IS NOT NULL AND s.secret IS NOT NULL
    AND EXISTS (SELECT FROM log.erasure)
  FROM log.erasure_secret s
$$;
