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

-- What is known of the ends of tokens with devices, each under the number of the pair.
CREATE OR REPLACE FUNCTION token_ends_known(apps integer[], devices text[], tokens bytea[])
RETURNS TABLE (ordinal integer, ended_at timestamptz, is_whole boolean)
LANGUAGE sql STABLE AS $$
  SELECT k.ordinal, t.ended_at, t.is_whole
  FROM (
    SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(devices) AS device,
      unnest(tokens) AS token
  ) k
  CROSS JOIN LATERAL (
    SELECT * FROM token_end t WHERE (t.app_id, t.device_id, t.token) = (k.app, k.device, k.token) OFFSET 0
  ) t
$$;

-- When a request is due: as it was sent, or when it is scheduled for where that is later. The clock that said `occurred_at` said that
-- time too, and is as wrong about it.
CREATE OR REPLACE FUNCTION request_due_at(effective_at timestamptz, occurred_at timestamptz, data jsonb) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
  SELECT greatest(effective_at, (data->>'scheduled_for')::timestamptz
    + greatest(effective_at - occurred_at, interval '-1461000 days'))   -- as the fold of notification
$$;

-- The notification that a request makes; null where it names none, or repeats.
CREATE OR REPLACE FUNCTION requested_notification(notification_id text, data jsonb) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN data#>>'{trigger,repeats}' IS DISTINCT FROM 'true' THEN notification_id END
$$;

-- When the newest request of a batch to a token was received, by app.
CREATE OR REPLACE FUNCTION newest_token_requests(after bigint, upto bigint)
RETURNS TABLE (app_id integer, received_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT e.app_id, max(e.received_at) FROM projection.batch(after, upto) e
  WHERE e.kind = 'request' AND e.token IS NOT NULL
  GROUP BY e.app_id
$$;

-- The requests of a batch to tokens that had come to an end with their device. What was received before the floor is about to be
-- dropped, and is not kept.
CREATE OR REPLACE FUNCTION requests_to_ended_tokens(after bigint, upto bigint) RETURNS SETOF token_request
LANGUAGE sql STABLE AS $$
  SELECT e.app_id, e.device_id, e.token, e.effective_at, e.id, e.data#>>'{push,environment}', e.data#>>'{push,topic}', e.received_at,
    r.due_at, requested_notification(e.notification_id, e.data), coalesce(e.occurrence, '-infinity')
  FROM projection.batch(after, upto) e
  CROSS JOIN LATERAL (
    SELECT * FROM token_end t WHERE (t.app_id, t.device_id, t.token) = (e.app_id, e.device_id, e.token) OFFSET 0
  ) t
  CROSS JOIN LATERAL (SELECT request_due_at(e.effective_at, e.occurred_at, e.data) AS due_at) r
  WHERE e.kind = 'request' AND e.token IS NOT NULL AND r.due_at >= t.ended_at AND t.is_whole
    AND e.received_at >= (SELECT s.floor FROM log.state s)
$$;

-- The most requests that are read of the log for a token as it comes to an end.
CREATE OR REPLACE FUNCTION token_requests_bound() RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('notilog.token_requests', true), '')::bigint, 10000)
$$;

-- The requests that the version has applied to tokens since times, each under the number of its token: as reporting.requests_after,
-- those received since the day before, and scheduled ones of 31 days before. Others are among them. Of each no more are read than one
-- beyond the bound; then they are not all.
CREATE OR REPLACE FUNCTION token_requests_known(apps integer[], tokens bytea[], sinces timestamptz[], upto bigint)
RETURNS TABLE (
  ordinal integer, device_id text, token bytea, at timestamptz, id uuid, environment text, topic text, received_at timestamptz,
  is_all boolean, due_at timestamptz, notification_id text, occurrence timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT k.ordinal, e.device_id, e.token, e.effective_at, e.id, e.data#>>'{push,environment}', e.data#>>'{push,topic}', e.received_at,
    count(*) OVER (PARTITION BY k.ordinal) <= token_requests_bound(), request_due_at(e.effective_at, e.occurred_at, e.data),
    requested_notification(e.notification_id, e.data), coalesce(e.occurrence, '-infinity')
  FROM (
    SELECT s.*, greatest(s.since - interval '48 hours', (SELECT l.floor FROM log.state l)) AS starts,
      greatest(s.since - interval '31 days', (SELECT l.floor FROM log.state l)) AS scheduled,
      (s.since AT TIME ZONE 'UTC')::date - 1 AS day, n.received_at AS newest
    FROM (
      SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(tokens) AS token,
        unnest(sinces) AS since
    ) s
    JOIN token_newest n ON n.app_id = s.app
    OFFSET 0
  ) k
  CROSS JOIN (
    SELECT greatest(upto, nullif(current_setting('notilog.applied', true), '')::bigint) AS upto,
      coalesce(nullif(current_setting('notilog.received_before', true), '')::timestamptz, 'infinity') AS before,
      ARRAY(
        SELECT s.position FROM projection.set_aside s
        WHERE s.schema_name = current_schema() AND s.leader = current_setting('notilog.projection', true)
          AND s.lane = projection.current_lane()) AS set_aside
    OFFSET 0
  ) v
  CROSS JOIN LATERAL (
    SELECT e.device_id, e.token, e.effective_at, e.occurred_at, e.id, e.received_at, e.notification_id, e.occurrence,
      CASE WHEN e.schema_version >= log.schema_version(e.kind) THEN coalesce(e.data, e.data_text::jsonb)
        ELSE log.upcast(e.kind, e.schema_version, coalesce(e.data, e.data_text::jsonb)) END AS data
    FROM (
      SELECT * FROM (
        SELECT * FROM log.event e
        WHERE e.kind = 'request' AND e.token IS NOT NULL AND e.app_id = k.app
          AND substring(e.token, 1, 8) = substring(k.token, 1, 8)
          AND (e.received_at AT TIME ZONE 'UTC')::date >= k.day
          AND (e.received_at AT TIME ZONE 'UTC')::date <= (k.newest AT TIME ZONE 'UTC')::date
          AND e.received_at >= k.starts AND e.received_at <= k.newest   -- for the partitions
        OFFSET 0
      ) e
      UNION ALL
      SELECT * FROM (
        SELECT * FROM log.event e
        WHERE e.kind = 'request' AND e.token IS NOT NULL AND e.data ? 'scheduled_for' AND e.app_id = k.app AND e.token = k.token
          AND (e.received_at AT TIME ZONE 'UTC')::date < k.day
          AND e.received_at >= k.scheduled AND e.received_at < k.since
        OFFSET 0
      ) e
    ) e
    WHERE e.position <= v.upto AND e.received_at < v.before AND e.position <> ALL (v.set_aside)
    LIMIT token_requests_bound() + 1
  ) e
$$;

-- Deletes the requests to tokens that were due before times; all of a token without one.
CREATE OR REPLACE FUNCTION delete_token_requests(apps integer[], devices text[], tokens bytea[], ends timestamptz[]) RETURNS void
LANGUAGE sql AS $$
  DELETE FROM token_request r
  USING (SELECT unnest(apps) AS app, unnest(devices) AS device, unnest(tokens) AS token, unnest(ends) AS ended_at) k
  WHERE (r.app_id, r.device_id, r.token) = (k.app, k.device, k.token) 
    -- As they are looked for, so that what is left is what another order of events would have kept.
    AND (r.due_at < coalesce(k.ended_at, 'infinity') OR r.received_at < k.ended_at - interval '31 days')
$$;
