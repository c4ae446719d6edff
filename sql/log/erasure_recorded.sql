-- The position of the event that records a device's last erasure, null if none has ended, and how many events that changed, null too
-- where retention has dropped it.
CREATE OR REPLACE FUNCTION log.erasure_recorded(app integer, device text, OUT "position" bigint, OUT events bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT l.position, (e.data->>'events')::bigint
  FROM log.erasure l
  CROSS JOIN log.erasure_keys() k
  LEFT JOIN log.event e ON e.position = l.position AND e.app_id = l.app_id AND e.kind = 'erasure'
  WHERE l.app_id = app AND l.bucket = hashtextextended(device, k.seed)
    AND l.key = log.keyed_hash(k.inner_pad, k.outer_pad, app || ':' || device)
$$;
