SELECT toUInt8(formatDateTime(cohort_at, '%u', zone)) AS weekday, toUInt8(formatDateTime(cohort_at, '%H', zone)) AS hour, count() AS reached, countIf(responded) AS responded,
  countIf(responded_at <= coalesce(shown_at, cohort_at) + INTERVAL 72 HOUR) / count() AS engagement_rate
FROM (
  SELECT *, coalesce(time_zone, 'UTC') AS zone
  FROM situated
  WHERE reached AND cohort_at >= {from:DateTime64(6, 'UTC')} AND cohort_at < {to:DateTime64(6, 'UTC')}
)
GROUP BY weekday, hour;
