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

-- Whether a push went to ended tokens alone, of those that its requests in the log name.
CREATE OR REPLACE FUNCTION reporting.is_dead_push(
  app_number integer, device text, notification text, occurrence timestamptz, cohort_at timestamptz,
  by_another boolean DEFAULT true) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT coalesce(bool_and(reporting.is_ended_token(app_number, device, t.token, is_dead_push.cohort_at, by_another)), false)
  FROM (
    SELECT DISTINCT e.token FROM log.event e
    WHERE (e.app_id, e.device_id, e.notification_id, e.kind) = (app_number, device, notification, 'request')
      AND e.token IS NOT NULL AND coalesce(e.occurrence, '-infinity') = is_dead_push.occurrence
      AND coalesce(e.data, e.data_text::jsonb)#>>'{trigger,repeats}' IS DISTINCT FROM 'true'
  ) t
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

-- The pushes with a cohort in [from_at, to_at) that went to ended tokens alone, as far as the log tells: their requests are looked
-- for under tokens that ever ended, if they are scheduled from 31 days before the range, or before the token ended, on.
CREATE OR REPLACE FUNCTION reporting.dead_pushes(app_number integer, from_at timestamptz, to_at timestamptz)
RETURNS TABLE (device_id text, notification_id text, occurrence timestamptz)
LANGUAGE sql STABLE AS $$
  WITH other AS MATERIALIZED (   -- tokens of which more was ever said than that one device registered them
    SELECT e.token FROM projection.token_event e WHERE e.app_id = app_number AND e.what IN ('dead', 'unregistered')
    UNION
    SELECT t.token FROM projection.device_token t WHERE t.app_id = app_number AND t.state = 'moved'
  ), several AS MATERIALIZED (   -- keys under which tokens supersede each other: most devices have one token of each
    SELECT t.device_id, t.provider, t.type, t.topic, t.environment, t.activity_id
    FROM projection.device_token t
    WHERE t.app_id = app_number
    GROUP BY 1, 2, 3, 4, 5, 6
    HAVING count(*) > 1
  ), held AS MATERIALIZED (
    SELECT t.device_id, t.token, CASE WHEN count(*) = 1 THEN max(t.ended_at) END AS since   -- of its only key: it stayed ended
    FROM projection.device_token t
    WHERE t.app_id = app_number AND t.registered_at < to_at AND (t.ended_at < to_at
      OR (t.last_registered_at > t.registered_at AND ((t.device_id, t.provider, t.type, t.topic, t.environment, t.activity_id) IN (SELECT * FROM several)
        OR t.token IN (SELECT o.token FROM other o))))
    GROUP BY 1, 2
  ), ended AS MATERIALIZED (
    -- Each with a time before which nothing ended it, and one from which on it stayed ended, if there is one: a push before the one
    -- or after the other needs no look at its history.
    SELECT h.device_id, h.token, least(s.at, o.at) AS ended_at, h.since
    FROM held h
    LEFT JOIN (   -- the device registered another token next under the same key
      SELECT e.device_id, e.token, min(e.next_at) AS at
      FROM (
        SELECT d.device_id, e.token, lead(e.token) OVER key AS next_token, lead(e.at) OVER key AS next_at
        FROM (SELECT DISTINCT h.device_id FROM held h) d
        CROSS JOIN LATERAL (
          SELECT e.token, e.provider, e.type, e.topic, e.environment, e.activity_id, e.at, e.id FROM projection.token_event e
          WHERE e.app_id = app_number AND e.device_id = d.device_id AND e.what = 'registered'
          OFFSET 0
        ) e
        WINDOW key AS (PARTITION BY d.device_id, e.provider, e.type, e.topic, e.environment, e.activity_id ORDER BY e.at, e.id)
      ) e
      WHERE e.next_token <> e.token
      GROUP BY 1, 2
    ) s USING (device_id, token)
    LEFT JOIN (   -- it was said to be dead, or unregistered, or another device registered it next
      SELECT e.token, min(e.at) AS at
      FROM (
        SELECT t.token, e.what, e.at, lag(e.device_id) OVER what <> e.device_id AS is_other_device
        FROM (SELECT DISTINCT h.token FROM held h) t
        CROSS JOIN LATERAL (
          SELECT e.device_id, e.what, e.at, e.id FROM projection.token_event e WHERE e.app_id = app_number AND e.token = t.token
          OFFSET 0
        ) e
        WINDOW what AS (PARTITION BY t.token, e.what ORDER BY e.at, e.device_id, e.id)
      ) e
      WHERE e.what IN ('dead', 'unregistered') OR (e.what = 'registered' AND e.is_other_device)
      GROUP BY 1
    ) o USING (token)
    WHERE s.at IS NOT NULL OR o.at IS NOT NULL
  ), sent AS MATERIALIZED (
    SELECT t.device_id, e.notification_id, coalesce(e.occurrence, '-infinity') AS occurrence, count(*) AS requests,
      array_agg(DISTINCT t.token) AS tokens, max(t.ended_at) AS ended_at,
      CASE WHEN bool_and(t.since IS NOT NULL) THEN max(t.since) END AS since
    FROM (SELECT token, min(ended_at) AS ended_at FROM ended GROUP BY token) k   -- once, however many devices had it
    CROSS JOIN LATERAL reporting.requests_after(app_number, k.token, greatest(from_at, k.ended_at)) e
    JOIN ended t ON (t.device_id, t.token) = (e.device_id, e.token)
    WHERE e.token = k.token AND e.notification_id IS NOT NULL
      AND e.data#>>'{trigger,repeats}' IS DISTINCT FROM 'true'
    GROUP BY 1, 2, 3
  )
  SELECT n.device_id, n.notification_id, n.occurrence
  FROM sent s
  CROSS JOIN LATERAL (
    SELECT n.device_id, n.notification_id, n.occurrence, n.cohort_at, n.requests
    FROM projection.notification n
    WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = (app_number, s.device_id, s.notification_id, s.occurrence)
      AND n.cohort_at >= greatest(from_at, s.ended_at) AND n.cohort_at < to_at AND n.requested AND n.is_push
    OFFSET 0
  ) n
  -- Where those are all of its requests, no others need be looked for among the device's events.
  WHERE CASE WHEN n.requests = s.requests
    THEN coalesce(n.cohort_at >= s.since, false) OR (
      SELECT bool_and(reporting.is_ended_token(app_number, n.device_id, t.token, n.cohort_at, true)) FROM unnest(s.tokens) AS t (token))
    ELSE reporting.is_dead_push(app_number, n.device_id, n.notification_id, n.occurrence, n.cohort_at) END
$$;
