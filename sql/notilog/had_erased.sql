-- Whether an erasure that is finished took something of a device. False where the device was only refused from then on, because the
-- app knew nothing of it. The event of the erasure says so; where retention has dropped that, the answer is true.
CREATE OR REPLACE FUNCTION notilog.had_erased(app integer, device text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM log.erasure l
    CROSS JOIN log.erasure_keys() k
    LEFT JOIN log.event e ON e.position = l.position AND e.app_id = l.app_id AND e.kind = 'erasure'
    WHERE l.app_id = app AND l.bucket = hashtextextended(device, k.seed) AND l.position IS NOT NULL
      AND l.key = log.keyed_hash(k.inner_pad, k.outer_pad, app || ':' || device)
      AND (e.position IS NULL OR (e.data->>'events')::bigint > 0
        OR EXISTS (SELECT FROM projection.device_token t WHERE (t.app_id, t.device_id) = (app, e.device_id))
        OR EXISTS (SELECT FROM projection.device_period p WHERE (p.app_id, p.device_id) = (app, e.device_id))))
$$;
