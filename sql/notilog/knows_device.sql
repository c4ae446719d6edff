-- Whether an app ever heard of a device: what the log has dropped, projections may still know.
CREATE OR REPLACE FUNCTION notilog.knows_device(app integer, device text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM log.event e WHERE (e.app_id, e.device_id) = (app, device))
    OR EXISTS (SELECT FROM projection.device_token t WHERE (t.app_id, t.device_id) = (app, device))
    OR EXISTS (SELECT FROM projection.device_period p WHERE (p.app_id, p.device_id) = (app, device))
$$;
