-- projection: device_token

-- What a provider's answer says of the token it was sent to. Reasons that speak of the provider's own keys or of the
-- message say nothing of it.
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

-- Finds the devices and the tokens of the batch that have gone beyond the bound, and takes their states away. Of each no more
-- events are counted than the bound.
CREATE OR REPLACE FUNCTION token_excess_found() RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  most integer := coalesce(nullif(current_setting('notilog.token_events', true), '')::integer, 10000);
BEGIN
  WITH found AS (
    INSERT INTO device_excess
    SELECT b.app_id, b.device_id
    FROM (SELECT DISTINCT app_id, device_id FROM token_batch WHERE device_id <> '') b
    WHERE NOT EXISTS (SELECT FROM device_excess x WHERE (x.app_id, x.device_id) = (b.app_id, b.device_id))
      AND (SELECT count(*) FROM (
        SELECT FROM token_event e WHERE (e.app_id, e.device_id) = (b.app_id, b.device_id) LIMIT most + 1) e) > most
    RETURNING app_id, device_id
  )
  DELETE FROM device_token t USING found f WHERE (t.app_id, t.device_id) = (f.app_id, f.device_id);

  WITH found AS (
    INSERT INTO token_excess
    SELECT b.app_id, '', b.token
    FROM (SELECT DISTINCT app_id, token FROM token_batch) b
    WHERE NOT EXISTS (SELECT FROM token_excess x WHERE (x.app_id, x.token) = (b.app_id, b.token))
      AND (SELECT count(*) FROM (
        SELECT FROM token_event e WHERE (e.app_id, e.token) = (b.app_id, b.token) LIMIT most + 1) e) > most
    RETURNING app_id, token
  )
  DELETE FROM device_token t USING found f WHERE (t.app_id, t.token) = (f.app_id, f.token);
END $$;

CREATE OR REPLACE FUNCTION device_token_apply(after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql SET client_min_messages = warning SET jit = off AS $$
BEGIN
  IF to_regclass('pg_temp.token_batch') IS NULL THEN
    CREATE TEMP TABLE token_batch ON COMMIT DELETE ROWS AS TABLE token_event WITH NO DATA;
    CREATE TEMP TABLE token_known ON COMMIT DELETE ROWS AS TABLE token_event WITH NO DATA;
    CREATE TEMP TABLE token_touched ON COMMIT DELETE ROWS AS
      SELECT app_id, device_id, provider, type, topic, environment, activity_id, token FROM device_token WITH NO DATA;
  END IF;
  IF EXISTS (SELECT FROM token_batch) OR EXISTS (SELECT FROM token_touched) THEN
    TRUNCATE token_batch, token_known, token_touched;
  END IF;

  PERFORM projection.only_index_lookups(true);
  -- Nearly all of them are pushes accepted, of which the newest counts, and only where the token is taken for misdirected:
  -- these are not written down with the others. An erasure has changed whose the newest is where it stands.
  WITH said AS MATERIALIZED (
    SELECT again, app_id, device_id, token, effective_at AS at, id, provider, coalesce(verdict, data->>'state') AS what,
      CASE WHEN verdict = 'accepted' THEN NULL ELSE data END AS data
    FROM (
      -- What FCM says of a token to an Apple device may be no more than that the message is wrong: APNs' answer behind it
      -- says what is.
      SELECT *, data->>'provider' AS provider, CASE WHEN kind = 'push_result'
        THEN coalesce(push_verdict(data->>'provider', data->>'status', data->>'reason'),
          CASE WHEN data->>'provider' = 'fcm' THEN
            push_verdict('apns', data#>>'{attributes,apns_status}', data#>>'{attributes,apns_reason}') END) END AS verdict
      FROM (
        SELECT *, false AS again FROM projection.batch(after, upto)
        WHERE token IS NOT NULL AND kind IN ('token', 'push_result')
        UNION ALL
        SELECT *, true FROM log.erased_token_events(after, upto)
      ) event
    ) event
    WHERE verdict IS NOT NULL OR (kind = 'token' AND data->>'state' IN ('registered', 'unregistered'))
  ), accepted AS (
    INSERT INTO token_accepted AS a
    SELECT DISTINCT ON (app_id, provider, token) app_id, provider, token, at, device_id, id
    FROM said
    WHERE what = 'accepted'
    ORDER BY app_id, provider, token, at DESC, device_id DESC, id DESC
    ON CONFLICT (app_id, provider, token) DO UPDATE SET at = excluded.at, device_id = excluded.device_id, id = excluded.id
    WHERE (excluded.at, excluded.device_id, excluded.id) > (a.at, a.device_id, a.id)
    RETURNING app_id, token
  ), restored AS (
    INSERT INTO token_touched
    SELECT t.*
    FROM (
      SELECT app_id, token, bool_or(again) AS again
      FROM (SELECT app_id, token, false AS again FROM accepted UNION ALL SELECT app_id, token, true FROM said WHERE again) b
      GROUP BY 1, 2
    ) b
    CROSS JOIN LATERAL (
      SELECT t.app_id, t.device_id, t.provider, t.type, t.topic, t.environment, t.activity_id, t.token
      FROM device_token t
      WHERE (t.app_id, t.token) = (b.app_id, b.token) AND (t.state = 'misdirected' OR b.again)
      OFFSET 0
    ) t
  )
  INSERT INTO token_batch
  SELECT app_id, device_id, token,
    CASE WHEN what = 'dead' AND data ? 'timestamp' THEN to_timestamp((data->>'timestamp')::bigint / 1000.0) ELSE at END,
    id, what, provider, coalesce(data->>'type', 'alert'), coalesce(data->>'topic', ''),
    coalesce(data->>'environment', 'production'),
    CASE WHEN data->>'type' = 'live_activity' THEN coalesce(data->>'activity_id', '') ELSE '' END
  FROM said
  WHERE what <> 'accepted';

  -- What an erasure makes it look at again is there already.
  INSERT INTO token_event SELECT * FROM token_batch ON CONFLICT DO NOTHING;
  PERFORM token_excess_found();
  -- What a push accepted had it look at again may have lost its state just now.
  DELETE FROM token_touched t
  WHERE EXISTS (SELECT FROM device_excess x WHERE (x.app_id, x.device_id) = (t.app_id, t.device_id))
    OR EXISTS (SELECT FROM token_excess x WHERE (x.app_id, x.token) = (t.app_id, t.token));

  -- Every token of the batch with each device that registered it, and every token that these devices registered under
  -- the same key.
  INSERT INTO token_touched
  SELECT app_id, device_id, provider, type, topic, environment, activity_id, token
  FROM token_batch b
  WHERE what = 'registered'
    AND NOT EXISTS (SELECT FROM device_excess x WHERE (x.app_id, x.device_id) = (b.app_id, b.device_id))
    AND NOT EXISTS (SELECT FROM token_excess x WHERE (x.app_id, x.token) = (b.app_id, b.token))
  UNION
  SELECT t.*
  FROM (SELECT DISTINCT app_id, token FROM token_batch) b
  CROSS JOIN LATERAL (
    SELECT t.app_id, t.device_id, t.provider, t.type, t.topic, t.environment, t.activity_id, t.token
    FROM device_token t
    WHERE (t.app_id, t.token) = (b.app_id, b.token)
    OFFSET 0
  ) t
  UNION
  SELECT t.*
  FROM (SELECT DISTINCT app_id, device_id FROM token_batch WHERE what = 'registered') b
  CROSS JOIN LATERAL (
    SELECT t.app_id, t.device_id, t.provider, t.type, t.topic, t.environment, t.activity_id, t.token
    FROM device_token t
    WHERE (t.app_id, t.device_id) = (b.app_id, b.device_id)
    OFFSET 0
  ) t
  EXCEPT TABLE token_touched;

  -- What their states are made of, each event once, however many a device or a token has: from here on every event and every
  -- token is looked at as often as it has an order, not once for each of the others.
  INSERT INTO token_known
  SELECT e.*
  FROM (SELECT DISTINCT app_id, device_id FROM token_touched) d
  CROSS JOIN LATERAL (
    SELECT * FROM token_event e WHERE (e.app_id, e.device_id, e.what) = (d.app_id, d.device_id, 'registered') OFFSET 0
  ) e
  UNION
  SELECT e.*
  FROM (SELECT DISTINCT app_id, token FROM token_touched) d
  CROSS JOIN LATERAL (
    SELECT * FROM token_event e WHERE (e.app_id, e.token) = (d.app_id, d.token) OFFSET 0
  ) e;
  PERFORM projection.only_index_lookups(false);
  PERFORM set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true);

  INSERT INTO device_token AS t
  WITH registered AS MATERIALIZED (
    SELECT *, lead(at) OVER key AS next_at, lead(id) OVER key AS next_id,   -- of the device, under the same key
      (device_id IS DISTINCT FROM lag(device_id) OVER token)::integer AS moves   -- of the token
    FROM token_known
    WHERE what = 'registered'
    WINDOW key AS (PARTITION BY app_id, device_id, provider, type, topic, environment, activity_id ORDER BY at, id),
      token AS (PARTITION BY app_id, token, provider, type, topic, environment ORDER BY at, device_id, id)
  ), stay AS MATERIALIZED (   -- a token's stays with one device after the other, numbered
    SELECT *, sum(moves) OVER (PARTITION BY app_id, token, provider, type, topic, environment ORDER BY at, device_id, id) AS stay
    FROM registered
  ), held AS MATERIALIZED (   -- each token with its last registration
    SELECT DISTINCT ON (app_id, device_id, provider, type, topic, environment, activity_id, token)
      app_id, device_id, provider, type, topic, environment, activity_id, token, at AS last_at, id AS last_id, next_at, next_id, stay,
      min(at) OVER (PARTITION BY app_id, device_id, provider, type, topic, environment, activity_id, token) AS first_at
    FROM stay
    JOIN token_touched USING (app_id, device_id, provider, type, topic, environment, activity_id, token)
    ORDER BY app_id, device_id, provider, type, topic, environment, activity_id, token, at DESC, id DESC
  ), ending AS (
    -- After a token's own last registration the next one under its key is of another token.
    SELECT app_id, device_id, provider, type, topic, environment, activity_id, token, 'superseded' AS state,
      next_at AS at, device_id AS by_device, next_id AS id
    FROM held
    WHERE next_at IS NOT NULL
    UNION ALL
    SELECT k.app_id, k.device_id, k.provider, k.type, k.topic, k.environment, k.activity_id, k.token, 'moved', o.at, o.device_id, o.id
    FROM held k
    JOIN stay o ON (o.app_id, o.token, o.provider, o.type, o.topic, o.environment, o.stay)
      = (k.app_id, k.token, k.provider, k.type, k.topic, k.environment, k.stay + 1) AND o.moves = 1
    UNION ALL
    SELECT k.app_id, k.device_id, k.provider, k.type, k.topic, k.environment, k.activity_id, k.token, 'invalidated', o.at, o.device_id, o.id
    FROM held k
    JOIN token_known o ON (o.app_id, o.token, o.provider) = (k.app_id, k.token, k.provider)
      AND (o.what = 'dead' OR (o.what = 'unregistered' AND o.device_id = k.device_id))
    WHERE (o.at, o.device_id, o.id) > (k.last_at, k.device_id, k.last_id)
  ), ended AS (
    -- The first end after the last registration stands until the token is registered again.
    SELECT DISTINCT ON (app_id, device_id, provider, type, topic, environment, activity_id, token) *
    FROM ending
    ORDER BY app_id, device_id, provider, type, topic, environment, activity_id, token, at, by_device, id
  ), misdirected AS (
    SELECT DISTINCT k.app_id, k.device_id, k.provider, k.type, k.topic, k.environment, k.activity_id, k.token, true AS is_misdirected
    FROM held k
    JOIN token_known o ON (o.app_id, o.token, o.provider, o.what) = (k.app_id, k.token, k.provider, 'misdirected')
    LEFT JOIN LATERAL (
      SELECT a.at, a.device_id, a.id
      FROM token_accepted a
      WHERE (a.app_id, a.provider, a.token) = (o.app_id, o.provider, o.token)
      OFFSET 0
    ) a ON true
    WHERE (o.at, o.device_id, o.id) > (k.last_at, k.device_id, k.last_id)
      AND ((a.at, a.device_id, a.id) > (o.at, o.device_id, o.id)) IS NOT TRUE
  )
  SELECT app_id, device_id, provider, type, topic, environment, activity_id, token,
    coalesce(e.state, CASE WHEN is_misdirected THEN 'misdirected' ELSE 'active' END), first_at, last_at, e.at
  FROM held
  LEFT JOIN ended e USING (app_id, device_id, provider, type, topic, environment, activity_id, token)
  LEFT JOIN misdirected USING (app_id, device_id, provider, type, topic, environment, activity_id, token)
  ON CONFLICT (app_id, device_id, provider, type, topic, environment, activity_id, token) DO UPDATE
  SET state = excluded.state, registered_at = excluded.registered_at, last_registered_at = excluded.last_registered_at,
    ended_at = excluded.ended_at
  WHERE (t.state, t.registered_at, t.last_registered_at, t.ended_at)
    IS DISTINCT FROM (excluded.state, excluded.registered_at, excluded.last_registered_at, excluded.ended_at);
  PERFORM set_config('enable_nestloop', 'on', true), set_config('enable_mergejoin', 'on', true);
END $$;
