-- key: category, outcome, until
-- same: notifications
WITH followed AS (
  SELECT category, epoch(greatest(least(responded_at, dismissed_at, removed_at, gone_at) - shown_at, INTERVAL 0 SECONDS)) AS after,
    CASE least(responded_at, dismissed_at, removed_at, gone_at)
      WHEN responded_at THEN CASE WHEN opened THEN 'opened' WHEN replied THEN 'replied' ELSE 'acted' END
      WHEN dismissed_at THEN 'dismissed' WHEN removed_at THEN 'withdrawn' WHEN gone_at THEN 'gone' END AS outcome
  FROM reach
  WHERE reached AND cohort_at >= $from::TIMESTAMPTZ AND cohort_at < $to::TIMESTAMPTZ AND shown_at IS NOT NULL
), stretch (until) AS (
  VALUES (60), (300), (900), (3600), (21600), (86400), (259200)
)
SELECT category, outcome, until, count(*) AS notifications
FROM (
  SELECT f.category, f.outcome, min(s.until) AS until
  FROM (SELECT *, row_number() OVER () AS n FROM followed WHERE outcome IS NOT NULL) f
  JOIN stretch s ON f.after <= s.until
  GROUP BY f.n, f.category, f.outcome
)
GROUP BY ALL;
