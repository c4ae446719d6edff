-- key: category, action
-- same: notifications
-- near: response_p50
SELECT n.category, t.action, count(*) AS notifications,
  quantile_disc(epoch(t.first_at - n.shown_at), 0.5)
    FILTER (t.first_at - n.shown_at <= INTERVAL 72 HOURS) AS response_p50
FROM (
  SELECT device_id, notification_id, occurrence, CASE kind WHEN 'dismissal' THEN 'dismiss' ELSE action_id::VARCHAR END AS action,
    min(effective_at) AS first_at
  FROM event
  WHERE kind IN ('action_response', 'dismissal')
  GROUP BY ALL
) t
JOIN notification n ON n.device_id = t.device_id AND n.notification_id = t.notification_id
  AND n.occurrence IS NOT DISTINCT FROM t.occurrence
WHERE n.cohort_at >= $from::TIMESTAMPTZ AND n.cohort_at < $to::TIMESTAMPTZ AND NOT n.response_only
GROUP BY ALL;
