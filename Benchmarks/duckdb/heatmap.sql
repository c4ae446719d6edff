-- key: weekday, hour
-- same: reached, responded
-- near: engagement_rate
SELECT isodow(local) AS weekday, hour(local) AS hour, count(*) AS reached, count(*) FILTER (responded) AS responded,
  count(*) FILTER (responded_at - coalesce(shown_at, cohort_at) <= INTERVAL 72 HOURS) / count(*) AS engagement_rate
FROM (
  SELECT *, timezone(time_zone::VARCHAR, cohort_at) AS local
  FROM situated
  WHERE reached AND cohort_at >= $from::TIMESTAMPTZ AND cohort_at < $to::TIMESTAMPTZ
)
GROUP BY ALL;
