WITH told AS (
  SELECT device_id, token, coalesce(dead_at, e.effective_at) AS effective_at, provider, coalesce(e.type, 'alert') AS type, coalesce(e.topic, '') AS topic,
    coalesce(e.environment, 'production') AS environment,
    multiIf(e.type = 'activity_update', coalesce(activity_id, ''), e.type = 'push_to_start', coalesce(attributes_type, ''), '') AS holder,
    multiIf(kind = 'token', state,
      coalesce(reason IN ('Unregistered', 'ExpiredToken', 'UNREGISTERED', 'NotRegistered'), false) OR (status = 410 AND reason IS NULL), 'dead',
      coalesce(reason IN ('BadDeviceToken', 'DeviceTokenNotForTopic', 'SENDER_ID_MISMATCH', 'MismatchSenderId'), false), 'misdirected',
      NULL) AS what
  FROM event e
  WHERE kind IN ('token', 'push_result') AND token IS NOT NULL AND (kind = 'token' OR status <> 200)
    AND e.effective_at < {to:DateTime64(6, 'UTC')}
), registered AS (
  SELECT device_id, provider, type, topic, environment, holder, token, max(effective_at) AS registered_at
  FROM told
  WHERE what = 'registered'
  GROUP BY device_id, provider, type, topic, environment, holder, token
), superseded AS (
  SELECT r.device_id AS device_id, r.provider AS provider, r.type AS type, r.topic AS topic, r.environment AS environment, r.holder AS holder, r.token AS token,
    min(o.effective_at) AS superseded_at
  FROM registered r
  JOIN told o ON o.device_id = r.device_id AND o.provider = r.provider AND o.type = r.type AND o.topic = r.topic AND o.environment = r.environment
    AND o.holder = r.holder
  WHERE o.what = 'registered' AND o.token <> r.token AND o.effective_at > r.registered_at
  GROUP BY ALL
), of_token AS (
  SELECT r.device_id AS device_id, r.provider AS provider, r.type AS type, r.topic AS topic, r.environment AS environment, r.token AS token,
    minOrNullIf(o.effective_at, o.what = 'registered' AND o.type = r.type AND o.topic = r.topic AND o.environment = r.environment
      AND coalesce(o.device_id <> r.device_id, false)) AS moved_at,
    minOrNullIf(o.effective_at, o.what = 'dead' OR (o.what = 'unregistered' AND o.device_id = r.device_id)) AS invalidated_at,
    maxOrNullIf(o.effective_at, o.what = 'misdirected') AS misdirected_at
  FROM registered r
  JOIN told o ON o.token = r.token AND o.provider = r.provider
  WHERE o.effective_at > r.registered_at
  GROUP BY ALL
), accepted AS (
  SELECT token, provider, max(effective_at) AS accepted_at FROM event WHERE kind = 'push_result' AND status = 200 GROUP BY token, provider
)
SELECT r.provider AS provider, r.type AS type, r.environment AS environment, multiIf(
    superseded_at = least(superseded_at, moved_at, invalidated_at), 'superseded',
    moved_at = least(moved_at, invalidated_at), 'moved',
    invalidated_at IS NOT NULL, 'invalidated',
    misdirected_at > coalesce(accepted_at, toDateTime64('2000-01-01', 6, 'UTC')), 'misdirected',
    registered_at < {to:DateTime64(6, 'UTC')} - INTERVAL 270 DAY, 'stale',
    'active') AS state,
  count() AS tokens, uniqExact(r.device_id) AS devices
FROM registered r
LEFT JOIN superseded s ON s.device_id = r.device_id AND s.provider = r.provider AND s.type = r.type AND s.topic = r.topic
  AND s.environment = r.environment AND s.holder = r.holder AND s.token = r.token
LEFT JOIN of_token t ON t.device_id = r.device_id AND t.provider = r.provider AND t.type = r.type AND t.topic = r.topic
  AND t.environment = r.environment AND t.token = r.token
LEFT JOIN accepted a ON a.token = r.token AND a.provider = r.provider
GROUP BY ALL;
