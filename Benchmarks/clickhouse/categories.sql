SELECT category, count() AS notifications, countIf(reached) AS reached, countIf(responded AND reached) AS responded
FROM reach
WHERE cohort_at >= {from:DateTime64(6, 'UTC')} AND cohort_at < {to:DateTime64(6, 'UTC')}
GROUP BY category;
