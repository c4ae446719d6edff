-- ask: by=category
-- key: category, class
-- same: notifications, reached
-- near: engagement_rate
-- Not the same: a push of which several tokens are named goes by the last one.
WITH told AS (
  SELECT device_id, token, coalesce(dead_at, effective_at) AS effective_at, provider, coalesce(type, 'alert') AS type, coalesce(topic, '') AS topic,
    coalesce(environment, 'production') AS environment,
    CASE WHEN kind = 'token' THEN state::VARCHAR
      WHEN reason IN ('Unregistered', 'ExpiredToken', 'UNREGISTERED', 'NotRegistered') OR (status = 410 AND reason IS NULL) THEN 'dead' END AS what
  FROM event
  WHERE kind IN ('token', 'push_result') AND token IS NOT NULL AND (kind = 'token' OR status <> 200)
), sent AS (
  SELECT n.device_id, n.notification_id, n.occurrence, n.cohort_at, p.token
  FROM (
    SELECT device_id, notification_id, occurrence, arg_max(token, effective_at) AS token
    FROM event
    WHERE kind = 'request' AND token IS NOT NULL AND NOT repeats
    GROUP BY ALL
  ) p
  JOIN notification n ON n.device_id = p.device_id AND n.notification_id = p.notification_id AND n.occurrence IS NOT DISTINCT FROM p.occurrence
  WHERE n.requested AND n.cohort_at >= $from::TIMESTAMPTZ AND n.cohort_at < $to::TIMESTAMPTZ
), registered AS (   -- the last registration of the token before each
  SELECT s.*, r.effective_at AS registered_at, r.provider, r.type, r.topic, r.environment
  FROM sent s
  ASOF JOIN (SELECT * FROM told WHERE what = 'registered') r
    ON r.device_id = s.device_id AND r.token = s.token AND r.effective_at <= s.cohort_at
), ending AS (
  SELECT r.device_id, r.notification_id, r.occurrence
  FROM registered r
  JOIN told o ON o.device_id = r.device_id AND o.provider = r.provider AND o.type = r.type AND o.topic = r.topic
    AND o.environment = r.environment
  WHERE o.what = 'registered' AND o.token <> r.token AND o.effective_at > r.registered_at AND o.effective_at <= r.cohort_at
  UNION
  SELECT r.device_id, r.notification_id, r.occurrence
  FROM registered r
  JOIN told o ON o.token = r.token AND o.provider = r.provider
  WHERE o.effective_at > r.registered_at AND o.effective_at <= r.cohort_at
    AND (o.what = 'dead' OR (o.what = 'unregistered' AND o.device_id = r.device_id)
      OR (o.what = 'registered' AND o.device_id <> r.device_id AND o.type = r.type AND o.topic = r.topic AND o.environment = r.environment))
), classed AS (
  SELECT n.*, CASE
      WHEN s.authorization_status IN ('not_determined', 'denied') THEN 'none'
      WHEN d.device_id IS NOT NULL THEN 'dead_token'
      WHEN s.authorization_status IS NULL THEN 'unknown'
      WHEN n.interruption_level::VARCHAR IS DISTINCT FROM 'critical' AND coalesce(s.scheduled_delivery::VARCHAR, '') NOT IN ('disabled', 'not_supported')
        AND NOT (n.interruption_level::VARCHAR IS NOT DISTINCT FROM 'time_sensitive' AND s.time_sensitive::VARCHAR IS NOT DISTINCT FROM 'enabled')
        THEN CASE WHEN s.scheduled_delivery IS NULL
          OR (n.interruption_level::VARCHAR IS NOT DISTINCT FROM 'time_sensitive' AND s.time_sensitive IS NULL) THEN 'unknown' ELSE 'summary_only' END
      WHEN s.alert_style IS NULL THEN 'unknown'
      WHEN s.alert_style::VARCHAR <> 'none' THEN 'banner'
      WHEN s.lock_screen IS NULL THEN 'unknown'
      WHEN s.lock_screen = 'enabled' THEN 'lock_screen_only'
      WHEN s.notification_center IS NULL THEN 'unknown'
      WHEN s.notification_center = 'enabled' THEN 'list_only'
      WHEN s.sound = 'enabled' OR s.badge = 'enabled' THEN 'badge_or_sound_only'
      WHEN s.sound IS NULL OR s.badge IS NULL THEN 'unknown'
      ELSE 'none' END AS class
  FROM reach n
  ASOF LEFT JOIN (
    SELECT device_id, effective_at, authorization_status, scheduled_delivery, time_sensitive, alert_style, lock_screen, notification_center,
      sound, badge
    FROM event WHERE kind = 'settings'
  ) s ON s.device_id = n.device_id AND s.effective_at <= n.cohort_at
  LEFT JOIN ending d ON d.device_id = n.device_id AND d.notification_id = n.notification_id AND d.occurrence IS NOT DISTINCT FROM n.occurrence
  WHERE n.cohort_at >= $from::TIMESTAMPTZ AND n.cohort_at < $to::TIMESTAMPTZ AND n.requested AND n.alerting
)
SELECT category, class, count(*) AS notifications, count(*) FILTER (reached) AS reached,
  count(*) FILTER (reached AND responded_at - coalesce(shown_at, cohort_at) <= INTERVAL 72 HOURS)
    / nullif(count(*) FILTER (reached), 0) AS engagement_rate
FROM classed
GROUP BY category, class;
