-- key: attributes_type, app_version
-- same: started, started_by_push, updates_accepted, updates_after_end, stale, ended, dismissed, end_unobserved, push_to_start_requested, push_to_start_accepted, push_to_start_without_activity
-- near: lifetime_p50
WITH activity AS (
  SELECT device_id, activity_id, min(effective_at) AS since, arg_min(attributes_type, effective_at) AS attributes_type,
    arg_min(started_by, effective_at) AS started_by, min(effective_at) FILTER (state = 'stale') AS stale_at,
    min(effective_at) FILTER (state = 'ended') AS ended_at, min(effective_at) FILTER (state = 'dismissed') AS dismissed_at
  FROM event
  WHERE kind = 'live_activity'
  GROUP BY device_id, activity_id
), accepted AS (
  SELECT DISTINCT device_id, notification_id FROM event WHERE kind = 'push_result' AND status = 200
), push AS (
  SELECT p.device_id, p.effective_at AS since, p.activity_event AS event, coalesce(p.attributes_type, a.attributes_type) AS attributes_type,
    d.device_id IS NOT NULL AS accepted, least(a.ended_at, a.dismissed_at) <= p.effective_at AS is_late
  FROM event p
  LEFT JOIN accepted d ON d.device_id = p.device_id AND d.notification_id = p.notification_id
  LEFT JOIN activity a ON a.device_id = p.device_id AND a.activity_id = p.activity_id
  WHERE p.kind = 'request' AND p.activity_event IS NOT NULL
), started AS (   -- the nth push of an hour with the nth activity: one push of a device and type is under way at a time
  SELECT p.device_id, p.since, bool_or(a.device_id IS NOT NULL) AS is_matched
  FROM push p
  LEFT JOIN activity a ON a.device_id = p.device_id AND a.attributes_type = p.attributes_type AND a.started_by = 'push'
    AND a.since >= p.since AND a.since < p.since + INTERVAL 1 HOUR
  WHERE p.event = 'start' AND p.accepted
  GROUP BY p.device_id, p.since
), counting AS (
  SELECT true AS is_activity, device_id, since, attributes_type, started_by, stale_at, ended_at, dismissed_at, NULL AS event, false AS accepted,
    false AS is_late, false AS is_unmatched
  FROM activity
  UNION ALL
  SELECT false, p.device_id, p.since, p.attributes_type, NULL, NULL, NULL, NULL, p.event, p.accepted, p.is_late,
    NOT s.is_matched AND h.last_at > p.since   -- else nobody can know
  FROM push p
  LEFT JOIN started s ON s.device_id = p.device_id AND s.since = p.since
  LEFT JOIN (
    SELECT device_id, max(effective_at) AS last_at FROM event
    WHERE kind NOT IN ('request', 'push_result', 'holdout', 'category_registration') GROUP BY device_id
  ) h ON h.device_id = p.device_id
), known AS (
  SELECT c.*, coalesce(n.app_version, f.app_version) AS app_version
  FROM counting c
  ASOF LEFT JOIN (SELECT device_id, effective_at, app_version FROM event WHERE has_context) n
    ON n.device_id = c.device_id AND n.effective_at <= c.since
  LEFT JOIN (SELECT device_id, arg_min(app_version, effective_at) AS app_version FROM event WHERE has_context GROUP BY device_id) f
    ON f.device_id = c.device_id
  WHERE c.since >= $from::TIMESTAMPTZ AND c.since < $to::TIMESTAMPTZ
)
SELECT attributes_type, app_version, count(*) FILTER (is_activity) AS started,
  count(*) FILTER (is_activity AND started_by = 'push') AS started_by_push, count(*) FILTER (event = 'start') AS push_to_start_requested,
  count(*) FILTER (event = 'start' AND accepted) AS push_to_start_accepted,
  count(*) FILTER (event = 'start' AND accepted AND is_unmatched) AS push_to_start_without_activity,
  count(*) FILTER (event = 'update' AND accepted) AS updates_accepted, count(*) FILTER (event = 'update' AND accepted AND is_late) AS updates_after_end,
  count(stale_at) AS stale, count(ended_at) AS ended, count(dismissed_at) AS dismissed,
  count(*) FILTER (is_activity AND ended_at IS NULL AND dismissed_at IS NULL) AS end_unobserved,
  epoch(quantile_disc(ended_at - since, 0.5)) AS lifetime_p50
FROM known
GROUP BY attributes_type, app_version;
