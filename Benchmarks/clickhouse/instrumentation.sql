WITH noted AS (
  SELECT n.*, coalesce(n.reached AND n.requested AND n.mutable_content AND x.is_extended AND coalesce(s.authorization_status, '') <> 'denied', false) AS observable
  FROM situated n
  ASOF LEFT JOIN (SELECT device_id, effective_at, authorization_status FROM event WHERE kind = 'settings') s
    ON s.device_id = n.device_id AND s.effective_at <= n.cohort_at
  LEFT JOIN (SELECT DISTINCT device_id, toNullable(true) AS is_extended FROM event WHERE kind = 'delivery' AND source = 'service_extension') x
    ON x.device_id = n.device_id
  WHERE n.cohort_at >= {from:DateTime64(6, 'UTC')} AND n.cohort_at < {to:DateTime64(6, 'UTC')}
), late AS (
  SELECT e.app_version AS app_version, quantileExactLow(0.5)(dateDiff('microsecond', effective_at, received_at)) AS late_p50,
    quantileExactLow(0.99)(dateDiff('microsecond', effective_at, received_at)) AS late_p99
  FROM event e
  WHERE has_context AND e.app_version IS NOT NULL AND effective_at >= {from:DateTime64(6, 'UTC')} AND effective_at < {to:DateTime64(6, 'UTC')}
  GROUP BY e.app_version
)
SELECT n.app_version AS app_version, any(l.late_p50) / 1e6 AS late_p50, any(l.late_p99) / 1e6 AS late_p99,
  countIf(n.observable) AS delivery_observable, countIf(n.observable AND n.delivery_at IS NOT NULL) AS delivery_observed,
  countIf(n.response_only) AS response_only, countIf(n.reached) AS rate_denominator,
  countIf(n.reached AND coalesce(n.responded_at <= coalesce(n.shown_at, n.cohort_at) + INTERVAL 72 HOUR, false)) AS responded_in_window,
  countIf(n.observable AND n.delivery_at IS NOT NULL) / nullIf(countIf(n.observable), 0) AS delivery_observed_rate,
  countIf(n.reached AND coalesce(n.responded_at <= coalesce(n.shown_at, n.cohort_at) + INTERVAL 72 HOUR, false)) / nullIf(countIf(n.reached), 0) AS engagement_rate
FROM noted n
LEFT JOIN late l ON l.app_version = n.app_version
GROUP BY n.app_version;
