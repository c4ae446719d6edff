-- The life of each device token: one row per token and device it belonged to.
--
--   change, row_id, tombstone   as in notifications.sql
--   device_id              the app installation
--   provider, type, topic, environment   the push service and the use of the token
--   activity_id            activity_update: the Live Activity; empty for any other
--   attributes_type        push_to_start: the type of the attributes; empty for any other
--   control_kind           control: its kind; empty for any other
--   token                  SHA-256 of it, in hexadecimal
--   state                  active, superseded, moved, invalidated or misdirected; stale is for the reader to derive
--   registered_at, last_registered_at   the first and the last registration
--   ended_at               null while active or misdirected
CREATE OR REPLACE FUNCTION export.device_tokens(app integer)
RETURNS TABLE (app_id integer, device_id text, provider text, type text, topic text, environment text, activity_id text,
  attributes_type text, control_kind text, token bytea, state text, registered_at timestamptz, last_registered_at timestamptz, ended_at timestamptz)
LANGUAGE sql STABLE AS $$
  -- Until device_token is rebuilt after an upgrade, it may not distinguish activities.
  SELECT t.app_id, t.device_id, t.provider, t.type, t.topic, t.environment,
    CASE WHEN t.type NOT IN ('push_to_start', 'control') THEN k.own ELSE '' END COLLATE "C",
    CASE t.type WHEN 'push_to_start' THEN k.own ELSE '' END COLLATE "C", CASE t.type WHEN 'control' THEN k.own ELSE '' END COLLATE "C",
    t.token, t.state, t.registered_at, t.last_registered_at, t.ended_at
  FROM projection.device_token t
  CROSS JOIN LATERAL (SELECT coalesce(to_jsonb(t)->>'activity_id', '') AS own) k
  -- Devices of other cells share tokens with devices of this one.
  WHERE t.app_id = app AND ((SELECT log.is_alone()) OR log.is_own(t.device_id))
$$;

-- A device or a token that goes beyond the bound takes rows of other devices away, too.
CREATE OR REPLACE FUNCTION export.device_tokens_basis(app integer) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT concat_ws(' ', e.devices, e.tokens) FROM projection.excess() e WHERE e.app_id = app
$$;
SELECT export.declare('device_tokens', '{device_id,provider,type,topic,environment,activity_id,attributes_type,control_kind,token}', '{device_token}', touched => 'token_devices');
