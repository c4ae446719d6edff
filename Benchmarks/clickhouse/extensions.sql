SELECT n.app_version AS app_version, count() AS runs, countIf(e.outcome = 'modified') AS modified,
  countIf(e.outcome = 'unmodified') AS unmodified, countIf(e.outcome = 'expired') AS expired,
  countIf(e.outcome = 'filtered') AS filtered,
  quantileExactLowOrNull(0.5)(e.duration_ms) / 1000 AS duration_p50, quantileExactLowOrNull(0.99)(e.duration_ms) / 1000 AS duration_p99,
  countIf(n.reached AND n.responded_at <= coalesce(n.shown_at, n.cohort_at) + INTERVAL 72 HOUR)
    / nullIf(countIf(n.reached), 0) AS engagement_rate
FROM event e
JOIN situated n ON n.device_id = e.device_id AND n.notification_id = e.notification_id
  AND n.occurrence IS NOT DISTINCT FROM e.occurrence
WHERE e.kind = 'delivery' AND e.source = 'service_extension'
  AND n.cohort_at >= {from:DateTime64(6, 'UTC')} AND n.cohort_at < {to:DateTime64(6, 'UTC')}
GROUP BY n.app_version;
