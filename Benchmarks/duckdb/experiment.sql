-- key: category, campaign, variant
-- same: devices, crossed_devices, reached_devices, reached, engaged
WITH unit AS (
  SELECT category, campaign, variant, device_id, count(*) FILTER (reached) AS reached,
    count(*) FILTER (reached AND responded_at - coalesce(shown_at, cohort_at) <= INTERVAL 72 HOURS) AS engaged
  FROM reach
  WHERE cohort_at >= $from::TIMESTAMPTZ AND cohort_at < $to::TIMESTAMPTZ AND variant IS NOT NULL AND NOT response_only
  GROUP BY ALL
)
SELECT category, campaign, variant, count(*) AS devices, count(*) FILTER (variants > 1) AS crossed_devices,
  count(*) FILTER (reached > 0) AS reached_devices, sum(reached) AS reached, sum(engaged) AS engaged,
  sum(engaged) / sum(reached) AS rate, var_samp(engaged) AS spread, covar_samp(engaged, reached) AS together
FROM (SELECT *, count(*) OVER (PARTITION BY category, campaign, device_id) AS variants FROM unit)
GROUP BY ALL;
