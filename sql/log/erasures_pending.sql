-- Unfinished erasures, so many at most: the first of each app, then the second, and so on.
CREATE OR REPLACE FUNCTION log.erasures_pending(most integer) RETURNS TABLE (app_id integer, device_id text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.app_id, p.device_id
  FROM log.erasure_pending p
  WHERE p.is_told
  ORDER BY row_number() OVER (PARTITION BY p.app_id ORDER BY p.device_id), p.app_id
  LIMIT most
$$;

-- Those that other cells have not been told of, so many at most: any of them, so that none is always behind others that fail.
CREATE OR REPLACE FUNCTION log.erasures_untold(most integer) RETURNS TABLE (app_id integer, device_id text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.app_id, p.device_id FROM log.erasure_pending p WHERE NOT p.is_told ORDER BY random() LIMIT most
$$;
