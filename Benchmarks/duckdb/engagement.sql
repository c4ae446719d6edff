-- ask: by=category
-- key: category
-- same: reached, requested, failed, delivered, presented, responded, opened, withdrawn, response_only, devices, engaged_devices
-- near: engagement_rate, response_p50
SELECT category, count(*) FILTER (reached) AS reached, count(*) FILTER (requested) AS requested,
  count(*) FILTER (failed) AS failed, count(*) FILTER (delivered) AS delivered, count(*) FILTER (presented) AS presented,
  count(*) FILTER (responded) AS responded, count(*) FILTER (opened) AS opened, count(*) FILTER (withdrawn) AS withdrawn,
  count(*) FILTER (response_only) AS response_only,
  count(*) FILTER (reached AND in_time) / nullif(count(*) FILTER (reached), 0) AS engagement_rate,
  quantile_disc(epoch(responded_at - shown_at), 0.5) FILTER (reached AND in_time AND shown_at IS NOT NULL) AS response_p50,
  count(DISTINCT device_id) FILTER (reached) AS devices, count(DISTINCT device_id) FILTER (responded) AS engaged_devices
FROM (
  SELECT *, responded_at - coalesce(shown_at, cohort_at) <= INTERVAL 72 HOURS AND NOT response_only AS in_time
  FROM reach
  WHERE cohort_at >= $from::TIMESTAMPTZ AND cohort_at < $to::TIMESTAMPTZ
)
GROUP BY category
ORDER BY category NULLS LAST;
