-- key: campaign
-- same: reached, rate_denominator, responded_in_window
-- near: engagement_rate, usual, difference, opt_outs
WITH counted AS (   -- all of the range are older than the 3 days within which they could be responded to
  SELECT campaign, category, count(*) AS n, count(*) FILTER (responded_at - coalesce(shown_at, cohort_at) <= INTERVAL 72 HOURS) AS x
  FROM reach
  WHERE reached AND cohort_at >= $from::TIMESTAMPTZ AND cohort_at < $to::TIMESTAMPTZ
  GROUP BY ALL
), beside AS (
  SELECT o.campaign, o.n, o.x, nullif(c.n - o.n, 0) AS others, (c.x - o.x) / nullif(c.n - o.n, 0) AS rate
  FROM counted o
  JOIN (SELECT category, sum(n) AS n, sum(x) AS x FROM counted GROUP BY category) c ON c.category IS NOT DISTINCT FROM o.category
  WHERE o.campaign IS NOT NULL
), compared AS (
  SELECT campaign, sum(n)::BIGINT AS n, sum(x)::BIGINT AS x, CASE WHEN bool_and(others IS NOT NULL) THEN sum(n * rate) / sum(n) END AS usual
  FROM beside
  GROUP BY campaign
), snapshot AS (
  SELECT device_id, effective_at, level, lag(level) OVER history AS previous, lag(effective_at) OVER history AS unchanged_at
  FROM (
    SELECT device_id, effective_at, CASE WHEN authorization_status = 'denied' THEN 0
      WHEN authorization_status IN ('authorized', 'provisional', 'ephemeral') THEN 1 END AS level
    FROM event
    WHERE kind = 'settings'
  )
  WHERE level IS NOT NULL
  WINDOW history AS (PARTITION BY device_id ORDER BY effective_at)
), bearing AS (
  SELECT n.campaign, n.cohort_at, 1 / count(*) OVER (PARTITION BY c.device_id, c.effective_at) AS share
  FROM (SELECT * FROM snapshot WHERE level < previous) c
  JOIN (SELECT device_id, campaign, cohort_at FROM reach WHERE reached) n
    ON n.device_id = c.device_id AND n.cohort_at > c.unchanged_at AND n.cohort_at <= c.effective_at
), left_after AS (
  SELECT campaign, sum(share) AS opt_outs
  FROM bearing
  WHERE cohort_at >= $from::TIMESTAMPTZ AND cohort_at < $to::TIMESTAMPTZ
  GROUP BY campaign
)
SELECT c.campaign, c.n AS reached, c.n AS rate_denominator, c.x AS responded_in_window, c.x / c.n AS engagement_rate, c.usual,
  c.x / c.n - c.usual AS difference, coalesce(l.opt_outs, 0) AS opt_outs
FROM compared c
LEFT JOIN left_after l USING (campaign);
