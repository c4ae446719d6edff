WITH device_week AS (
  SELECT device_id, toStartOfWeek(cohort_at, 1) AS week, count() AS number,
    countIf(responded_at <= coalesce(shown_at, cohort_at) + INTERVAL 72 HOUR) AS engaged
  FROM reach
  WHERE reached
  GROUP BY device_id, week
)
SELECT multiIf(number <= 3, number, number <= 5, 4, number <= 10, 6, number <= 20, 11, number <= 50, 21, 51) AS at_least,
  count() AS device_weeks, uniqExact(device_id) AS devices, sum(number) AS reached,
  countIf(engaged > 0) AS active_device_weeks, sum(engaged) / sum(number) AS engagement_rate
FROM device_week
WHERE week >= {from:DateTime64(6, 'UTC')} AND week + INTERVAL 7 DAY <= {to:DateTime64(6, 'UTC')}
GROUP BY at_least;
