SELECT category, count() AS notifications, countIf(reached) AS reached, countIf(responded AND NOT response_only) AS responded
FROM reach
WHERE cohort_at >= {from:DateTime64(6, 'UTC')} AND cohort_at < {to:DateTime64(6, 'UTC')}
GROUP BY category;
