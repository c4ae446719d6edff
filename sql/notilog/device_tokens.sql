-- A device's tokens, the one registered last first. An active token is stale if it has not been registered for
-- reporting.stale_after.
CREATE OR REPLACE FUNCTION notilog.device_tokens(app integer, device text)
RETURNS TABLE (provider text, type text, topic text, environment text, activity_id text, state text, registered_at timestamptz,
  last_registered_at timestamptz, ended_at timestamptz)
LANGUAGE sql STABLE AS $$
  -- Until device_token is rebuilt after an upgrade, it may not distinguish activities.
  SELECT t.provider, t.type, t.topic, t.environment, nullif(to_jsonb(t)->>'activity_id', ''),
    CASE WHEN t.state = 'active' AND t.last_registered_at < now() - reporting.stale_after() THEN 'stale' ELSE t.state END,
    t.registered_at, t.last_registered_at, t.ended_at
  FROM projection.device_token t
  WHERE t.app_id = app AND t.device_id = device
  ORDER BY t.last_registered_at DESC, t.registered_at DESC, t.token
$$;
