WITH counted AS (
  SELECT campaign, category, count() AS n, countIf(coalesce(responded_at <= coalesce(shown_at, cohort_at) + INTERVAL 72 HOUR, false)) AS x
  FROM reach
  WHERE reached AND cohort_at >= {from:DateTime64(6, 'UTC')} AND cohort_at < {to:DateTime64(6, 'UTC')}
  GROUP BY campaign, category
), beside AS (
  SELECT o.campaign AS campaign, o.n AS n, o.x AS x, nullIf(c.n - o.n, 0) AS others, (c.x - o.x) / nullIf(c.n - o.n, 0) AS rate
  FROM counted o
  JOIN (SELECT category, sum(n) AS n, sum(x) AS x FROM counted GROUP BY category) c ON c.category IS NOT DISTINCT FROM o.category
  WHERE o.campaign IS NOT NULL
), compared AS (
  SELECT b.campaign AS campaign, sum(b.n) AS whole, sum(b.x) AS engaged, if(countIf(b.others IS NULL) = 0, sum(b.n * b.rate) / sum(b.n), NULL) AS usual
  FROM beside b
  GROUP BY b.campaign
), snapshot AS (
  SELECT device_id, effective_at, level, lagInFrame(level) OVER history AS previous, lagInFrame(toNullable(effective_at)) OVER history AS unchanged_at
  FROM (
    SELECT device_id, effective_at, multiIf(authorization_status = 'denied', 0,
      authorization_status IN ('authorized', 'provisional', 'ephemeral'), 1, NULL) AS level
    FROM event
    WHERE kind = 'settings'
  )
  WHERE level IS NOT NULL
  WINDOW history AS (PARTITION BY device_id ORDER BY effective_at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
), bearing AS (
  SELECT n.campaign AS campaign, n.cohort_at AS cohort_at, 1 / count() OVER (PARTITION BY c.device_id, c.effective_at) AS share
  FROM (SELECT * FROM snapshot WHERE level < previous) c
  JOIN (SELECT device_id, campaign, cohort_at FROM reach WHERE reached) n ON n.device_id = c.device_id
  WHERE n.cohort_at > c.unchanged_at AND n.cohort_at <= c.effective_at
), left_after AS (
  SELECT campaign, sum(share) AS opt_outs FROM bearing WHERE cohort_at >= {from:DateTime64(6, 'UTC')} AND cohort_at < {to:DateTime64(6, 'UTC')} GROUP BY campaign
)
SELECT c.campaign AS campaign, c.whole AS reached, c.whole AS rate_denominator, c.engaged AS responded_in_window,
  c.engaged / c.whole AS engagement_rate, c.usual AS usual, c.engaged / c.whole - c.usual AS difference, coalesce(l.opt_outs, 0) AS opt_outs
FROM compared c
LEFT JOIN left_after l ON l.campaign = c.campaign;
