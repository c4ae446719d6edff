-- key: at_least
-- same: device_weeks, devices, reached, active_device_weeks
WITH device_week AS (
  SELECT device_id, date_trunc('week', cohort_at) AS week, count(*) AS reached,
    count(*) FILTER (responded_at <= coalesce(shown_at, cohort_at) + INTERVAL 72 HOURS) AS engaged
  FROM reach
  WHERE reached
  GROUP BY ALL
)
SELECT CASE WHEN reached <= 3 THEN reached WHEN reached <= 5 THEN 4 WHEN reached <= 10 THEN 6 WHEN reached <= 20 THEN 11
    WHEN reached <= 50 THEN 21 ELSE 51 END AS at_least,
  count(*) AS device_weeks, count(DISTINCT device_id) AS devices, sum(reached) AS reached,
  count(*) FILTER (engaged > 0) AS active_device_weeks, sum(engaged) / sum(device_week.reached) AS engagement_rate
FROM device_week
WHERE week >= $from::TIMESTAMPTZ AND week + INTERVAL 7 DAYS <= $to::TIMESTAMPTZ
GROUP BY 1;
