-- key: app_version
-- same: delivery_observable, delivery_observed, response_only, rate_denominator, responded_in_window
-- near: delivery_observed_rate, engagement_rate
-- Not the same: ours also compares each version with the one before, with intervals by device, and reads the log for a sample of devices.
WITH extended AS (
  SELECT DISTINCT device_id FROM event WHERE kind = 'delivery' AND source = 'service_extension'
), noted AS (
  SELECT n.*, n.reached AND n.requested AND n.mutable_content AND x.device_id IS NOT NULL
      AND s.authorization_status IS DISTINCT FROM 'denied' AS observable
  FROM situated n
  LEFT JOIN extended x USING (device_id)
  ASOF LEFT JOIN (SELECT device_id, effective_at, authorization_status FROM event WHERE kind = 'settings') s
    ON s.device_id = n.device_id AND s.effective_at <= n.cohort_at
  WHERE n.cohort_at >= $from::TIMESTAMPTZ AND n.cohort_at < $to::TIMESTAMPTZ
), late AS (
  SELECT app_version, quantile_disc(epoch(received_at - effective_at), 0.5) AS late_p50, quantile_disc(epoch(received_at - effective_at), 0.99) AS late_p99
  FROM event
  WHERE has_context AND app_version IS NOT NULL AND effective_at >= $from::TIMESTAMPTZ AND effective_at < $to::TIMESTAMPTZ
  GROUP BY app_version
)
SELECT n.app_version, any_value(l.late_p50) AS late_p50, any_value(l.late_p99) AS late_p99,
  count(*) FILTER (n.observable) AS delivery_observable, count(*) FILTER (n.observable AND n.delivery_at IS NOT NULL) AS delivery_observed,
  count(*) FILTER (n.response_only) AS response_only, count(*) FILTER (n.reached) AS rate_denominator,
  count(*) FILTER (n.reached AND n.responded_at <= coalesce(n.shown_at, n.cohort_at) + INTERVAL 72 HOURS) AS responded_in_window,
  count(*) FILTER (n.observable AND n.delivery_at IS NOT NULL) / nullif(count(*) FILTER (n.observable), 0) AS delivery_observed_rate,
  count(*) FILTER (n.reached AND n.responded_at <= coalesce(n.shown_at, n.cohort_at) + INTERVAL 72 HOURS)
    / nullif(count(*) FILTER (n.reached), 0) AS engagement_rate
FROM noted n
LEFT JOIN late l ON l.app_version = n.app_version
GROUP BY n.app_version;
