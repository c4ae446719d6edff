WITH told AS (
  SELECT device_id, token, coalesce(dead_at, e.effective_at) AS told_at, provider, coalesce(e.type, 'alert') AS type, coalesce(e.topic, '') AS topic,
    coalesce(e.environment, 'production') AS environment,
    multiIf(kind = 'token', state,
      coalesce(reason IN ('Unregistered', 'ExpiredToken', 'UNREGISTERED', 'NotRegistered'), false) OR (status = 410 AND reason IS NULL), 'dead', NULL) AS what
  FROM event e
  WHERE kind IN ('token', 'push_result') AND token IS NOT NULL AND (kind = 'token' OR status <> 200)
), sent AS (
  SELECT n.device_id AS device_id, n.notification_id AS notification_id, n.occurrence AS occurrence, n.cohort_at AS cohort_at, p.token AS token
  FROM (
    SELECT e.device_id AS device_id, e.notification_id AS notification_id, e.occurrence AS occurrence, argMax(e.token, e.effective_at) AS token
    FROM event e
    WHERE e.kind = 'request' AND e.token IS NOT NULL AND NOT e.repeats
    GROUP BY e.device_id, e.notification_id, e.occurrence
  ) p
  JOIN notification n ON n.device_id = p.device_id AND n.notification_id = p.notification_id AND n.occurrence IS NOT DISTINCT FROM p.occurrence
  WHERE n.requested AND n.cohort_at >= {from:DateTime64(6, 'UTC')} AND n.cohort_at < {to:DateTime64(6, 'UTC')}
), registered AS (
  SELECT s.device_id AS device_id, s.notification_id AS notification_id, s.occurrence AS occurrence, s.cohort_at AS cohort_at, s.token AS token,
    r.told_at AS registered_at, r.provider AS provider, r.type AS type, r.topic AS topic, r.environment AS environment
  FROM sent s
  ASOF JOIN (SELECT device_id, token, assumeNotNull(told_at) AS told_at, provider, type, topic, environment FROM told WHERE what = 'registered') r
    ON r.device_id = s.device_id AND r.token = s.token AND r.told_at <= s.cohort_at
), ending AS (
  SELECT DISTINCT device_id, notification_id, occurrence, toNullable(true) AS is_dead
  FROM (
    SELECT r.device_id AS device_id, r.notification_id AS notification_id, r.occurrence AS occurrence
    FROM registered r
    JOIN told o ON o.device_id = r.device_id AND o.provider = r.provider AND o.type = r.type AND o.topic = r.topic AND o.environment = r.environment
    WHERE o.what = 'registered' AND o.token <> r.token AND o.told_at > r.registered_at AND o.told_at <= r.cohort_at
    UNION ALL
    SELECT r.device_id, r.notification_id, r.occurrence
    FROM registered r
    JOIN told o ON o.token = r.token AND o.provider = r.provider
    WHERE o.told_at > r.registered_at AND o.told_at <= r.cohort_at
      AND (o.what = 'dead' OR (o.what = 'unregistered' AND o.device_id = r.device_id)
        OR (o.what = 'registered' AND o.device_id <> r.device_id AND o.type = r.type AND o.topic = r.topic AND o.environment = r.environment))
  )
), classed AS (
  SELECT n.*, multiIf(
      coalesce(s.authorization_status IN ('not_determined', 'denied'), false), 'none',
      d.is_dead IS NOT NULL, 'dead_token',
      s.authorization_status IS NULL, 'unknown',
      coalesce(n.interruption_level, '') <> 'critical' AND coalesce(s.scheduled_delivery, '') NOT IN ('disabled', 'not_supported')
        AND NOT (coalesce(n.interruption_level, '') = 'time_sensitive' AND coalesce(s.time_sensitive, '') = 'enabled'),
      if(s.scheduled_delivery IS NULL OR (coalesce(n.interruption_level, '') = 'time_sensitive' AND s.time_sensitive IS NULL), 'unknown', 'summary_only'),
      s.alert_style IS NULL, 'unknown', s.alert_style <> 'none', 'banner',
      s.lock_screen IS NULL, 'unknown', s.lock_screen = 'enabled', 'lock_screen_only',
      s.notification_center IS NULL, 'unknown', s.notification_center = 'enabled', 'list_only',
      coalesce(s.sound, '') = 'enabled' OR coalesce(s.badge, '') = 'enabled', 'badge_or_sound_only',
      s.sound IS NULL OR s.badge IS NULL, 'unknown', 'none') AS class
  FROM reach n
  ASOF LEFT JOIN (
    SELECT device_id, effective_at, authorization_status, scheduled_delivery, time_sensitive, alert_style, lock_screen, notification_center, sound, badge
    FROM event WHERE kind = 'settings'
  ) s ON s.device_id = n.device_id AND s.effective_at <= n.cohort_at
  LEFT JOIN ending d ON d.device_id = n.device_id AND d.notification_id = n.notification_id AND d.occurrence IS NOT DISTINCT FROM n.occurrence
  WHERE n.cohort_at >= {from:DateTime64(6, 'UTC')} AND n.cohort_at < {to:DateTime64(6, 'UTC')} AND n.requested AND n.alerting
)
SELECT category, class, count() AS notifications, countIf(reached) AS reached,
  countIf(reached AND coalesce(responded_at <= coalesce(shown_at, cohort_at) + INTERVAL 72 HOUR, false)) / nullIf(countIf(reached), 0) AS engagement_rate
FROM classed
GROUP BY category, class;
