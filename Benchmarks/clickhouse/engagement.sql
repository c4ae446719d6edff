SELECT category, countIf(reached) AS reached, countIf(requested) AS requested,
  countIf(failed) AS failed, countIf(delivered) AS delivered, countIf(presented) AS presented,
  countIf(responded) AS responded, countIf(opened) AS opened, countIf(withdrawn) AS withdrawn,
  countIf(response_only) AS response_only,
  countIf(reached AND in_time) / nullIf(countIf(reached), 0) AS engagement_rate,
  quantileExactLowOrNullIf(0.5)(dateDiff('microsecond', shown_at, responded_at) / 1e6, reached AND in_time AND shown_at IS NOT NULL) AS response_p50,
  uniqExactIf(device_id, reached) AS devices, uniqExactIf(device_id, responded) AS engaged_devices
FROM (
  SELECT *, responded_at <= coalesce(shown_at, cohort_at) + INTERVAL 72 HOUR AND NOT response_only AS in_time
  FROM reach
  WHERE cohort_at >= {from:DateTime64(6, 'UTC')} AND cohort_at < {to:DateTime64(6, 'UTC')}
)
GROUP BY category
ORDER BY category NULLS LAST;
