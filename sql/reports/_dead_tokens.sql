-- Whether a device's token was ended at a time: registered before, and under every key moved to another device, said to be dead,
-- unregistered, or (where `by_another` is true) superseded by another token since. False for a token of which no state is computed.
CREATE OR REPLACE FUNCTION reporting.is_ended_token(
  app_number integer, device text, digest bytea, at_time timestamptz, by_another boolean) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT coalesce(bool_and(EXISTS (
      SELECT FROM projection.token_event e
      WHERE by_another AND (e.app_id, e.device_id, e.what) = (app_number, device, 'registered') AND e.token <> digest AND e.at <= at_time
        AND (e.provider, e.type, e.topic, e.environment, e.activity_id) = (k.provider, k.type, k.topic, k.environment, k.activity_id)
        AND (e.at, e.device_id, e.id) > (r.at, r.device_id, r.id))
    OR EXISTS (
      SELECT FROM projection.token_event e
      WHERE (e.app_id, e.token, e.provider) = (app_number, digest, k.provider) AND e.at <= at_time
        AND (e.at, e.device_id, e.id) > (r.at, r.device_id, r.id)
        AND CASE e.what
          WHEN 'dead' THEN true
          WHEN 'unregistered' THEN e.device_id = device
          WHEN 'registered' THEN e.device_id <> device AND (e.type, e.topic, e.environment) = (k.type, k.topic, k.environment)
          ELSE false END)), false)
  FROM projection.device_token k
  CROSS JOIN LATERAL (   -- the last registration by then
    SELECT e.at, e.device_id, e.id FROM projection.token_event e
    WHERE (e.app_id, e.device_id, e.token, e.what) = (app_number, device, digest, 'registered') AND e.at <= at_time
      AND (e.provider, e.type, e.topic, e.environment, e.activity_id) = (k.provider, k.type, k.topic, k.environment, k.activity_id)
    ORDER BY e.at DESC, e.id DESC LIMIT 1
  ) r
  WHERE (k.app_id, k.device_id, k.token) = (app_number, device, digest)
$$;

-- Whether a device's token was misdirected at a time: under every key said to be of another environment, topic or sender since its
-- last registration, without a push accepted for it since. False for a token of which no state is computed.
CREATE OR REPLACE FUNCTION reporting.is_misdirected_token(
  app_number integer, device text, digest bytea, at_time timestamptz) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT coalesce(bool_and(EXISTS (
    SELECT FROM projection.token_event e
    WHERE (e.app_id, e.token, e.provider, e.what) = (app_number, digest, k.provider, 'misdirected') AND e.at <= at_time
      AND (e.at, e.device_id, e.id) > (r.at, r.device_id, r.id)
      AND NOT EXISTS (
        SELECT FROM projection.token_accepted a
        WHERE (a.app_id, a.provider, a.token) = (app_number, k.provider, digest)
          AND (a.at, a.device_id, a.id) > (e.at, e.device_id, e.id)))), false)
  FROM projection.device_token k
  CROSS JOIN LATERAL (   -- the last registration by then
    SELECT e.at, e.device_id, e.id FROM projection.token_event e
    WHERE (e.app_id, e.device_id, e.token, e.what) = (app_number, device, digest, 'registered') AND e.at <= at_time
      AND (e.provider, e.type, e.topic, e.environment, e.activity_id) = (k.provider, k.type, k.topic, k.environment, k.activity_id)
    ORDER BY e.at DESC, e.id DESC LIMIT 1
  ) r
  WHERE (k.app_id, k.device_id, k.token) = (app_number, device, digest)
$$;

-- The requests in the log that may be of a push to a token that was due at a time or later: those received since the day before
-- it, and of scheduled ones those received within 31 days before. Others are among them: to tokens that begin with the same bytes.
-- Each half has the conditions of an index, and OFFSET keeps them apart from the caller's: it is one look-up.
CREATE OR REPLACE FUNCTION reporting.requests_after(app_number integer, digest bytea, due_at timestamptz)
RETURNS TABLE (
  "position" bigint, effective_at timestamptz, device_id text, token bytea, notification_id text, occurrence timestamptz,
  data jsonb)
LANGUAGE sql STABLE AS $$
  SELECT e.position, e.effective_at, e.device_id, e.token, e.notification_id, e.occurrence,
    CASE WHEN e.schema_version >= log.schema_version(e.kind) THEN coalesce(e.data, e.data_text::jsonb)
      ELSE log.upcast(e.kind, e.schema_version, coalesce(e.data, e.data_text::jsonb)) END
  FROM (
    SELECT * FROM (
      SELECT * FROM log.event e
      WHERE e.kind = 'request' AND e.token IS NOT NULL AND e.app_id = app_number
        AND substring(e.token, 1, 8) = substring(digest, 1, 8)
        AND (e.received_at AT TIME ZONE 'UTC')::date >= (due_at AT TIME ZONE 'UTC')::date - 1
        AND e.received_at >= due_at - interval '48 hours'   -- for the partitions
      OFFSET 0
    ) e
    UNION ALL
    SELECT * FROM (
      SELECT * FROM log.event e
      WHERE e.kind = 'request' AND e.token IS NOT NULL AND e.data ? 'scheduled_for' AND e.app_id = app_number AND e.token = digest
        AND (e.received_at AT TIME ZONE 'UTC')::date < (due_at AT TIME ZONE 'UTC')::date - 1
        AND e.received_at >= due_at - interval '31 days' AND e.received_at < due_at
      OFFSET 0
    ) e
  ) e
$$;

-- CTEs for a query that has, as CTEs, `event`, of token_event, and `holding`, tokens with the devices that registered them, by the columns
-- of `bearing` up to `token`; $1 is the app. `bearing` has for each of these the events that bear on it: `what` is registered,
-- superseded (the device registered another token next), moved (another device registered it next), invalidated or misdirected.
--
-- Of the registrations of others only the first after its own bears on it, and of each sort of what was said of the token only the first
-- after each registration of its own: they are as many as there are registrations, where all of them would be its square.
CREATE OR REPLACE FUNCTION reporting.bearing_events() RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT format($query$
    said AS (   -- by sort: what was misdirected matters less once a push is accepted
      SELECT e.*, CASE WHEN e.what = 'misdirected' AND (a.at, a.device_id, a.id) > (e.at, e.device_id, e.id) THEN 'accepted'
        ELSE e.what END AS sort
      FROM event e
      LEFT JOIN projection.token_accepted a ON (a.app_id, a.provider, a.token) = ($1, e.provider, e.token)
    ), counted AS MATERIALIZED (   -- with how many of each sort there were by then
      SELECT e.*, count(*) FILTER (WHERE sort = 'dead') OVER token AS dead,
        count(*) FILTER (WHERE sort = 'misdirected') OVER token AS misdirected,
        count(*) FILTER (WHERE sort = 'accepted') OVER token AS accepted,
        -- Which is said of one device alone.
        count(*) FILTER (WHERE sort = 'unregistered') OVER device AS unregistered
      FROM said e
      WINDOW token AS (PARTITION BY e.token, e.provider ORDER BY e.at, e.device_id, e.id),
        device AS (PARTITION BY e.token, e.provider, e.device_id ORDER BY e.at, e.id)
    ), registered AS MATERIALIZED (   -- with the registration before it, of the device under the same key and of the token
      SELECT e.device_id, e.provider, e.type, e.topic, e.environment, %1$s AS activity_id, e.token, e.at, e.id,
        e.dead, e.misdirected, e.accepted, e.unregistered,
        lag(e.token) OVER key AS previous_token, lag(e.device_id) OVER token AS previous_device
      FROM counted e
      WHERE e.what = 'registered'
      WINDOW key AS (
          PARTITION BY e.device_id, e.provider, e.type, e.topic, e.environment, %1$s ORDER BY e.at, e.device_id, e.id),
        token AS (PARTITION BY e.token, e.provider, e.type, e.topic, e.environment ORDER BY e.at, e.device_id, e.id)
    ), bearing AS (
      SELECT k.*, e.at, e.device_id AS by_device, e.id, 'registered' AS what
      FROM holding k
      JOIN registered e USING (device_id, provider, type, topic, environment, activity_id, token)
      UNION ALL
      SELECT k.*, e.at, e.device_id, e.id, 'superseded'
      FROM holding k
      JOIN registered e ON (e.device_id, e.provider, e.type, e.topic, e.environment, e.activity_id, e.previous_token)
        = (k.device_id, k.provider, k.type, k.topic, k.environment, k.activity_id, k.token) AND e.token <> k.token
      UNION ALL
      SELECT k.*, e.at, e.device_id, e.id, 'moved'
      FROM holding k
      JOIN registered e ON (e.token, e.provider, e.type, e.topic, e.environment, e.previous_device)
        = (k.token, k.provider, k.type, k.topic, k.environment, k.device_id) AND e.device_id <> k.device_id
      UNION ALL
      SELECT k.device_id, k.provider, k.type, k.topic, k.environment, k.activity_id, k.token, e.at, e.device_id, e.id,
        CASE e.what WHEN 'misdirected' THEN 'misdirected' ELSE 'invalidated' END
      FROM (   -- once, however many registrations come before it
        SELECT DISTINCT k.*, unnest('{dead,misdirected,accepted,unregistered}'::text[]) AS sort,
          unnest(ARRAY['', '', '', k.device_id]) AS of_device,
          unnest(ARRAY[r.dead, r.misdirected, r.accepted, r.unregistered]) + 1 AS number
        FROM holding k
        JOIN registered r USING (device_id, provider, type, topic, environment, activity_id, token)
      ) k
      JOIN counted e ON (e.token, e.provider, e.sort, CASE e.sort WHEN 'unregistered' THEN e.device_id ELSE '' END,
        CASE e.sort WHEN 'dead' THEN e.dead WHEN 'misdirected' THEN e.misdirected WHEN 'accepted' THEN e.accepted ELSE e.unregistered END)
        = (k.token, k.provider, k.sort, k.of_device, k.number) AND e.what <> 'registered'
    )$query$, CASE WHEN reporting.has_column('projection.device_token', 'activity_id') THEN 'e.activity_id' ELSE '''' END)
$$;
