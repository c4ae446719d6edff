WITH followed AS (
  SELECT category, least(responded_at, dismissed_at, removed_at, gone_at) AS followed_at,
    greatest(dateDiff('microsecond', shown_at, followed_at), 0) / 1e6 AS after,
    multiIf(followed_at = responded_at, multiIf(opened, 'opened', replied, 'replied', 'acted'), followed_at = dismissed_at, 'dismissed',
      followed_at = removed_at, 'withdrawn', followed_at = gone_at, 'gone', NULL) AS outcome
  FROM reach
  WHERE reached AND cohort_at >= {from:DateTime64(6, 'UTC')} AND cohort_at < {to:DateTime64(6, 'UTC')} AND shown_at IS NOT NULL
)
SELECT category, outcome, arrayFirstOrNull(stretch -> after <= stretch, [60, 300, 900, 3600, 21600, 86400, 259200]) AS until,
  count() AS notifications
FROM followed
WHERE outcome IS NOT NULL AND until IS NOT NULL
GROUP BY category, outcome, until;
