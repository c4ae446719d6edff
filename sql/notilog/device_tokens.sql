-- A device's tokens, the one registered last first. An active token is stale if it has not been registered for
-- reporting.stale_after. What tells tokens of one type apart, which device_token has in one column, is under its own name here.
CREATE OR REPLACE FUNCTION notilog.device_tokens(app integer, device text)
RETURNS TABLE (provider text, type text, topic text, environment text, activity_id text, attributes_type text,
  control_kind text, state text, registered_at timestamptz, last_registered_at timestamptz, ended_at timestamptz)
LANGUAGE sql STABLE AS $$
  -- Until device_token is rebuilt after an upgrade, it may not distinguish activities.
  SELECT t.provider, t.type, t.topic, t.environment,
    CASE WHEN t.type NOT IN ('push_to_start', 'control') THEN k.own END, CASE t.type WHEN 'push_to_start' THEN k.own END,
    CASE t.type WHEN 'control' THEN k.own END,
    CASE WHEN t.state = 'active' AND t.last_registered_at < now() - reporting.stale_after() THEN 'stale' ELSE t.state END,
    t.registered_at, t.last_registered_at, t.ended_at
  FROM projection.device_token t
  CROSS JOIN LATERAL (SELECT nullif(to_jsonb(t)->>'activity_id', '') AS own) k
  WHERE t.app_id = app AND t.device_id = device
  ORDER BY t.last_registered_at DESC, t.registered_at DESC, t.token
$$;
