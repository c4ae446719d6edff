-- key: provider, type, environment, state
-- near: tokens, devices
-- Not the same: where a token is replaced in the microsecond in which the provider says it died, ours goes by the events' ids.
WITH told AS (
  SELECT device_id, token, coalesce(dead_at, effective_at) AS effective_at, provider, coalesce(type, 'alert') AS type, coalesce(topic, '') AS topic,
    coalesce(environment, 'production') AS environment,
    -- What a device has several of at once.
    coalesce(CASE type WHEN 'activity_update' THEN activity_id WHEN 'push_to_start' THEN attributes_type::VARCHAR END, '') AS holder,
    CASE WHEN kind = 'token' THEN state::VARCHAR
      WHEN reason IN ('Unregistered', 'ExpiredToken', 'UNREGISTERED', 'NotRegistered') OR (status = 410 AND reason IS NULL) THEN 'dead'
      WHEN reason IN ('BadDeviceToken', 'DeviceTokenNotForTopic', 'SENDER_ID_MISMATCH', 'MismatchSenderId') THEN 'misdirected' END AS what
  FROM event
  WHERE kind IN ('token', 'push_result') AND token IS NOT NULL AND (kind = 'token' OR status <> 200) AND effective_at < $to::TIMESTAMPTZ
), registered AS (
  SELECT device_id, provider, type, topic, environment, holder, token, max(effective_at) AS registered_at
  FROM told
  WHERE what = 'registered'
  GROUP BY ALL
), ended AS (
  SELECT r.*,
    (SELECT min(o.effective_at) FROM told o WHERE o.what = 'registered' AND o.device_id = r.device_id AND o.provider = r.provider
      AND o.type = r.type AND o.topic = r.topic AND o.environment = r.environment AND o.holder = r.holder AND o.token <> r.token
      AND o.effective_at > r.registered_at) AS superseded_at,
    (SELECT min(o.effective_at) FROM told o WHERE o.what = 'registered' AND o.token = r.token AND o.provider = r.provider
      AND o.type = r.type AND o.topic = r.topic AND o.environment = r.environment AND o.device_id <> r.device_id
      AND o.effective_at > r.registered_at) AS moved_at,
    (SELECT min(o.effective_at) FROM told o WHERE o.token = r.token AND o.provider = r.provider AND o.effective_at > r.registered_at
      AND (o.what = 'dead' OR (o.what = 'unregistered' AND o.device_id = r.device_id))) AS invalidated_at,
    (SELECT max(o.effective_at) FROM told o WHERE o.token = r.token AND o.provider = r.provider AND o.what = 'misdirected'
      AND o.effective_at > r.registered_at) AS misdirected_at
  FROM registered r
), accepted AS (
  SELECT token, provider, max(effective_at) AS accepted_at FROM event WHERE kind = 'push_result' AND status = 200 GROUP BY ALL
)
SELECT provider, type, environment, CASE
    WHEN superseded_at = least(superseded_at, moved_at, invalidated_at) THEN 'superseded'
    WHEN moved_at = least(moved_at, invalidated_at) THEN 'moved'
    WHEN invalidated_at IS NOT NULL THEN 'invalidated'
    WHEN misdirected_at > coalesce(accepted_at, TIMESTAMPTZ '2000-01-01') THEN 'misdirected'
    WHEN registered_at < $to::TIMESTAMPTZ - INTERVAL 270 DAYS THEN 'stale'
    ELSE 'active' END AS state,
  count(*) AS tokens, count(DISTINCT device_id) AS devices
FROM ended
LEFT JOIN accepted USING (token, provider)
GROUP BY ALL;
