WITH unit AS (
  SELECT category, campaign, variant, device_id, countIf(reached) AS reached,
    countIf(reached AND responded_at <= coalesce(shown_at, cohort_at) + INTERVAL 72 HOUR) AS engaged
  FROM reach
  WHERE cohort_at >= {from:DateTime64(6, 'UTC')} AND cohort_at < {to:DateTime64(6, 'UTC')} AND variant IS NOT NULL AND NOT response_only
  GROUP BY category, campaign, variant, device_id
)
SELECT category, campaign, variant, count() AS devices, countIf(variants > 1) AS crossed_devices,
  countIf(u.reached > 0) AS reached_devices, sum(u.reached) AS reached, sum(u.engaged) AS engaged,
  sum(u.engaged) / sum(u.reached) AS rate, varSamp(u.engaged) AS spread, covarSamp(u.engaged, u.reached) AS together
FROM (SELECT *, count() OVER (PARTITION BY category, campaign, device_id) AS variants FROM unit) u
GROUP BY category, campaign, variant;
