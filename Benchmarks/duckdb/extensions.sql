-- key: app_version
-- same: runs, modified, unmodified, expired, filtered
-- near: duration_p50, duration_p99
SELECT n.app_version, count(*) AS runs, count(*) FILTER (e.outcome = 'modified') AS modified,
  count(*) FILTER (e.outcome = 'unmodified') AS unmodified, count(*) FILTER (e.outcome = 'expired') AS expired,
  count(*) FILTER (e.outcome = 'filtered') AS filtered,
  quantile_disc(e.duration_ms, 0.5) / 1000 AS duration_p50, quantile_disc(e.duration_ms, 0.99) / 1000 AS duration_p99,
  count(*) FILTER (n.reached AND n.responded_at <= coalesce(n.shown_at, n.cohort_at) + INTERVAL 72 HOURS)
    / nullif(count(*) FILTER (n.reached), 0) AS engagement_rate
FROM event e
JOIN situated n ON n.device_id = e.device_id AND n.notification_id = e.notification_id
  AND n.occurrence IS NOT DISTINCT FROM e.occurrence
WHERE e.kind = 'delivery' AND e.source = 'service_extension'
  AND n.cohort_at >= $from::TIMESTAMPTZ AND n.cohort_at < $to::TIMESTAMPTZ
GROUP BY n.app_version;
