SELECT category, reason, count() AS notifications, countIf(pending) AS pending, countIf(delivered) AS delivered,
  countIf(responded) AS responded,
  quantileExactLowOrNullIf(0.5)(greatest(dateDiff('microsecond', shown_at, delivered_removal) / 1e6, 0), delivered AND shown_at IS NOT NULL) AS delivered_p50
FROM (
  SELECT n.category AS category, r.reason AS reason, n.responded AS responded, n.shown_at AS shown_at, max(r.state = 'pending') AS pending,
    max(r.state = 'delivered') AS delivered, minOrNullIf(r.effective_at, r.state = 'delivered') AS delivered_removal
  FROM event r
  JOIN notification n ON n.device_id = r.device_id AND n.notification_id = r.notification_id
    AND n.occurrence IS NOT DISTINCT FROM r.occurrence
  WHERE r.kind = 'removal' AND n.cohort_at >= {from:DateTime64(6, 'UTC')} AND n.cohort_at < {to:DateTime64(6, 'UTC')}
  GROUP BY r.device_id, r.notification_id, r.occurrence, n.category, r.reason, n.responded, n.shown_at
)
GROUP BY category, reason;
