-- projection: device_token
-- fold: 1

-- What a provider's answer says of the token it was sent to. Reasons that speak of the provider's own keys or of the
-- message say nothing of it. For reports: the fold has the same in Swift (PushVerdict).
CREATE OR REPLACE FUNCTION push_verdict(provider text, status text, reason text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN status = '200' THEN 'accepted'
    WHEN provider = 'apns' AND (reason IN ('Unregistered', 'ExpiredToken') OR (status = '410' AND reason IS NULL)) THEN 'dead'
    WHEN provider = 'fcm' AND reason IN ('UNREGISTERED', 'NotRegistered') THEN 'dead'
    WHEN provider = 'apns' AND reason IN ('BadDeviceToken', 'DeviceTokenNotForTopic') THEN 'misdirected'
    WHEN provider = 'fcm' AND reason IN ('SENDER_ID_MISMATCH', 'MismatchSenderId') THEN 'misdirected'
  END
$$;

-- The events of a batch that may bear on a token.
CREATE OR REPLACE FUNCTION token_events_said(after bigint, upto bigint) RETURNS SETOF log.event
LANGUAGE sql STABLE AS $$
  SELECT e.* FROM projection.batch(after, upto) e WHERE e.token IS NOT NULL AND e.kind IN ('token', 'push_result')
$$;

-- The newest pushes accepted for tokens, each under the number of the token.
CREATE OR REPLACE FUNCTION token_accepted_known(apps integer[], providers text[], tokens bytea[])
RETURNS TABLE (ordinal integer, at timestamptz, device_id text, id uuid)
LANGUAGE sql STABLE AS $$
  SELECT k.ordinal, a.at, a.device_id, a.id
  FROM (
    SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(providers) AS provider,
      unnest(tokens) AS token
  ) k
  CROSS JOIN LATERAL (
    SELECT * FROM token_accepted a WHERE (a.app_id, a.provider, a.token) = (k.app, k.provider, k.token) OFFSET 0
  ) a
$$;

-- The most events of a device or of a token of which a state is computed.
CREATE OR REPLACE FUNCTION token_events_bound() RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('notilog.token_events', true), '')::bigint, 10000)
$$;

-- The numbers of the devices with more events than the bound, and whether that is known. Of each no more are counted than it.
CREATE OR REPLACE FUNCTION devices_in_excess(apps integer[], devices text[])
RETURNS TABLE (ordinal integer, is_known boolean)
LANGUAGE sql STABLE AS $$
  SELECT k.ordinal, k.is_known
  FROM (
    -- Not EXISTS: the planner would read all of them once rather than look them up.
    SELECT d.*, (SELECT true FROM device_excess x WHERE (x.app_id, x.device_id) = (d.app, d.device)) IS NOT NULL AS is_known
    FROM (SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(devices) AS device) d
    OFFSET 0
  ) k
  WHERE CASE WHEN k.is_known THEN true ELSE (
    SELECT count(*) FROM (
      SELECT FROM token_event e
      WHERE (e.app_id, e.device_id) = (k.app, k.device)
      ORDER BY e.token, e.at, e.id   -- by the primary key, also in a plan made while the table is empty
      LIMIT token_events_bound() + 1) e
  ) > token_events_bound() END
$$;

-- The same of tokens.
CREATE OR REPLACE FUNCTION tokens_in_excess(apps integer[], tokens bytea[])
RETURNS TABLE (ordinal integer, is_known boolean)
LANGUAGE sql STABLE AS $$
  SELECT k.ordinal, k.is_known
  FROM (
    SELECT t.*, (SELECT true FROM token_excess x WHERE (x.app_id, x.token) = (t.app, t.token)) IS NOT NULL AS is_known
    FROM (SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(tokens) AS token) t
    OFFSET 0
  ) k
  WHERE CASE WHEN k.is_known THEN true ELSE (
    SELECT count(*) FROM (
      SELECT FROM token_event e WHERE (e.app_id, e.token) = (k.app, k.token) LIMIT token_events_bound() + 1) e
  ) > token_events_bound() END
$$;

-- The rows of tokens.
CREATE OR REPLACE FUNCTION rows_of_tokens(apps integer[], tokens bytea[]) RETURNS SETOF device_token
LANGUAGE sql STABLE AS $$
  SELECT t.*
  FROM (SELECT unnest(apps) AS app, unnest(tokens) AS token) k
  CROSS JOIN LATERAL (
    SELECT * FROM device_token t WHERE (t.app_id, t.token) = (k.app, k.token) OFFSET 0
  ) t
$$;

-- Those of them that a push accepted may put right.
CREATE OR REPLACE FUNCTION misdirected_rows_of_tokens(apps integer[], tokens bytea[]) RETURNS SETOF device_token
LANGUAGE sql STABLE AS $$
  SELECT t.* FROM rows_of_tokens(apps, tokens) t WHERE t.state = 'misdirected'
$$;

-- The rows of devices.
CREATE OR REPLACE FUNCTION rows_of_devices(apps integer[], devices text[]) RETURNS SETOF device_token
LANGUAGE sql STABLE AS $$
  SELECT t.*
  FROM (SELECT unnest(apps) AS app, unnest(devices) AS device) k
  CROSS JOIN LATERAL (
    SELECT *
    FROM device_token t
    WHERE (t.app_id, t.device_id) = (k.app, k.device)
    ORDER BY t.provider, t.type   -- by the primary key
    OFFSET 0
  ) t
$$;

-- Every registration of devices.
CREATE OR REPLACE FUNCTION registrations_of(apps integer[], devices text[]) RETURNS SETOF token_event
LANGUAGE sql STABLE AS $$
  SELECT e.*
  FROM (SELECT unnest(apps) AS app, unnest(devices) AS device) k
  CROSS JOIN LATERAL (
    SELECT *
    FROM token_event e
    WHERE (e.app_id, e.device_id, e.what) = (k.app, k.device, 'registered')
    ORDER BY e.token, e.at, e.id   -- by the primary key
    OFFSET 0
  ) e
$$;

-- Every event of tokens.
CREATE OR REPLACE FUNCTION token_events_of(apps integer[], tokens bytea[]) RETURNS SETOF token_event
LANGUAGE sql STABLE AS $$
  SELECT e.*
  FROM (SELECT unnest(apps) AS app, unnest(tokens) AS token) k
  CROSS JOIN LATERAL (
    SELECT * FROM token_event e WHERE (e.app_id, e.token) = (k.app, k.token) OFFSET 0
  ) e
$$;
