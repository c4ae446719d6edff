WITH activity AS (
  SELECT e.device_id AS device_id, e.activity_id AS activity_id, min(e.effective_at) AS since, argMin(e.attributes_type, e.effective_at) AS attributes_type,
    argMin(e.started_by, e.effective_at) AS started_by, minOrNullIf(e.effective_at, e.state = 'stale') AS stale_at,
    minOrNullIf(e.effective_at, e.state = 'ended') AS ended_at, minOrNullIf(e.effective_at, e.state = 'dismissed') AS dismissed_at
  FROM event e
  WHERE e.kind = 'live_activity'
  GROUP BY e.device_id, e.activity_id
), push AS (
  SELECT p.device_id AS device_id, p.effective_at AS since, p.activity_event AS activity_event,
    coalesce(p.attributes_type, a.attributes_type) AS attributes_type, d.notification_id IS NOT NULL AS accepted,
    coalesce(least(coalesce(a.ended_at, a.dismissed_at), coalesce(a.dismissed_at, a.ended_at)) <= p.effective_at, false) AS is_late
  FROM event p
  LEFT JOIN (
    SELECT DISTINCT device_id, toNullable(notification_id) AS notification_id FROM event WHERE kind = 'push_result' AND status = 200
  ) d ON d.device_id = p.device_id AND d.notification_id = p.notification_id
  LEFT JOIN activity a ON a.device_id = p.device_id AND a.activity_id = p.activity_id
  WHERE p.kind = 'request' AND p.activity_event IS NOT NULL
), started AS (
  SELECT p.device_id AS device_id, p.since AS since, true AS is_matched
  FROM push p
  JOIN activity a ON a.device_id = p.device_id AND a.attributes_type = p.attributes_type
  WHERE p.activity_event = 'start' AND p.accepted AND a.started_by = 'push' AND a.since >= p.since AND a.since < p.since + INTERVAL 1 HOUR
  GROUP BY p.device_id, p.since
), counting AS (
  SELECT true AS is_activity, device_id, since, attributes_type, started_by, stale_at, ended_at, dismissed_at, NULL AS activity_event, false AS accepted,
    false AS is_late, false AS is_unmatched
  FROM activity
  UNION ALL
  SELECT false, p.device_id, p.since, p.attributes_type, NULL, NULL, NULL, NULL, p.activity_event, p.accepted, p.is_late,
    s.is_matched IS NULL AND coalesce(h.last_at > p.since, false)
  FROM push p
  LEFT JOIN started s ON s.device_id = p.device_id AND s.since = p.since
  LEFT JOIN (
    SELECT device_id, max(effective_at) AS last_at FROM event
    WHERE kind NOT IN ('request', 'push_result', 'holdout', 'category_registration') GROUP BY device_id
  ) h ON h.device_id = p.device_id
), told AS (
  SELECT c.*, n.app_version AS version_then
  FROM (SELECT *, assumeNotNull(since) AS told_at FROM counting WHERE since >= {from:DateTime64(6, 'UTC')} AND since < {to:DateTime64(6, 'UTC')}) c
  ASOF LEFT JOIN (SELECT device_id, effective_at, app_version FROM event WHERE has_context) n
    ON n.device_id = c.device_id AND n.effective_at <= c.told_at
), known AS (
  SELECT t.*, coalesce(t.version_then, f.app_version) AS app_version
  FROM told t
  LEFT JOIN (
    SELECT device_id, argMin(e.app_version, effective_at) AS app_version FROM event e WHERE has_context GROUP BY device_id
  ) f ON f.device_id = t.device_id
)
SELECT attributes_type, app_version, countIf(is_activity) AS started, countIf(is_activity AND started_by = 'push') AS started_by_push,
  countIf(activity_event = 'start') AS push_to_start_requested, countIf(activity_event = 'start' AND accepted) AS push_to_start_accepted,
  countIf(activity_event = 'start' AND accepted AND is_unmatched) AS push_to_start_without_activity,
  countIf(activity_event = 'update' AND accepted) AS updates_accepted, countIf(activity_event = 'update' AND accepted AND is_late) AS updates_after_end,
  countIf(stale_at IS NOT NULL) AS stale, countIf(ended_at IS NOT NULL) AS ended, countIf(dismissed_at IS NOT NULL) AS dismissed,
  countIf(is_activity AND ended_at IS NULL AND dismissed_at IS NULL) AS end_unobserved,
  quantileExactLowOrNullIf(0.5)(dateDiff('microsecond', since, ended_at) / 1e6, ended_at IS NOT NULL) AS lifetime_p50
FROM known
GROUP BY attributes_type, app_version;
