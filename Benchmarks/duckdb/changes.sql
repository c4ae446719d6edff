-- ask: dimensions=none,category,campaign
-- key: dimension, value
-- same: reached, reached_before, rate_denominator, responded_in_window
-- near: engagement_rate
WITH counted AS (
  SELECT category, campaign, cohort_at >= $from::TIMESTAMPTZ AS is_now,
    responded_at - coalesce(shown_at, cohort_at) <= INTERVAL 72 HOURS AS in_time
  FROM reach
  WHERE reached AND cohort_at >= $from::TIMESTAMPTZ - INTERVAL 90 DAYS AND cohort_at < $to::TIMESTAMPTZ
), valued AS (
  SELECT 'none' AS dimension, NULL AS value, is_now, in_time FROM counted
  UNION ALL
  SELECT 'category', category::VARCHAR, is_now, in_time FROM counted
  UNION ALL
  SELECT 'campaign', campaign::VARCHAR, is_now, in_time FROM counted
)
SELECT dimension, value, count(*) FILTER (is_now) AS reached, count(*) FILTER (NOT is_now) AS reached_before,
  count(*) FILTER (is_now) AS rate_denominator, count(*) FILTER (is_now AND in_time) AS responded_in_window,
  count(*) FILTER (is_now AND in_time) / nullif(count(*) FILTER (is_now), 0) AS engagement_rate
FROM valued
GROUP BY dimension, value;
