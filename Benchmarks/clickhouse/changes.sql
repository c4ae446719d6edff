WITH counted AS (
  SELECT category, campaign, cohort_at >= {from:DateTime64(6, 'UTC')} AS is_now, coalesce(responded_at <= coalesce(shown_at, cohort_at) + INTERVAL 72 HOUR, false) AS in_time
  FROM reach
  WHERE reached AND cohort_at >= {from:DateTime64(6, 'UTC')} - INTERVAL 90 DAY AND cohort_at < {to:DateTime64(6, 'UTC')}
)
SELECT values.1 AS dimension, values.2 AS value, countIf(is_now) AS reached, countIf(NOT is_now) AS reached_before,
  countIf(is_now) AS rate_denominator, countIf(is_now AND in_time) AS responded_in_window,
  countIf(is_now AND in_time) / nullIf(countIf(is_now), 0) AS engagement_rate
FROM counted
ARRAY JOIN [('none', NULL), ('category', CAST(category AS Nullable(String))), ('campaign', CAST(campaign AS Nullable(String)))] AS values
GROUP BY dimension, value;
