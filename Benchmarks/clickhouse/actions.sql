SELECT n.category AS category, t.action AS action, count() AS notifications,
  quantileExactLowOrNullIf(0.5)(dateDiff('microsecond', n.shown_at, t.first_at) / 1e6,
    t.first_at <= n.shown_at + INTERVAL 72 HOUR) AS response_p50
FROM (
  SELECT device_id, notification_id, occurrence, if(kind = 'dismissal', 'dismiss', action_id) AS action, min(effective_at) AS first_at
  FROM event
  WHERE kind IN ('action_response', 'dismissal')
  GROUP BY ALL
) t
JOIN notification n ON n.device_id = t.device_id AND n.notification_id = t.notification_id
  AND n.occurrence IS NOT DISTINCT FROM t.occurrence
WHERE n.cohort_at >= {from:DateTime64(6, 'UTC')} AND n.cohort_at < {to:DateTime64(6, 'UTC')} AND NOT n.response_only
GROUP BY ALL;
