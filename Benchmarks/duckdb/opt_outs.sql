-- key: category, attributed
-- same: reached
-- near: opt_outs, softer
WITH snapshot AS (
  SELECT device_id, effective_at, setting, level
  FROM (
    SELECT device_id, effective_at,
      CASE WHEN authorization_status = 'denied' THEN 0
        WHEN authorization_status IN ('authorized', 'provisional', 'ephemeral') THEN 1 END AS authorization_status,
      CASE WHEN whole THEN CASE alert WHEN 'enabled' THEN 1 WHEN 'disabled' THEN 0 END END AS alert,
      CASE WHEN whole THEN CASE sound WHEN 'enabled' THEN 1 WHEN 'disabled' THEN 0 END END AS sound,
      CASE WHEN whole THEN CASE badge WHEN 'enabled' THEN 1 WHEN 'disabled' THEN 0 END END AS badge,
      CASE WHEN whole THEN CASE lock_screen WHEN 'enabled' THEN 1 WHEN 'disabled' THEN 0 END END AS lock_screen,
      CASE WHEN whole THEN CASE notification_center WHEN 'enabled' THEN 1 WHEN 'disabled' THEN 0 END END AS notification_center,
      CASE WHEN whole THEN CASE time_sensitive WHEN 'enabled' THEN 1 WHEN 'disabled' THEN 0 END END AS time_sensitive,
      CASE WHEN whole THEN CASE scheduled_delivery WHEN 'enabled' THEN 0 WHEN 'disabled' THEN 1 END END AS scheduled_delivery
    FROM (
      SELECT *, authorization_status IS NULL OR authorization_status IN ('authorized', 'ephemeral') AS whole
      FROM event
      WHERE kind = 'settings'
    )
  )
  UNPIVOT (level FOR setting IN (authorization_status, alert, sound, badge, lock_screen, notification_center, time_sensitive,
    scheduled_delivery))
), change AS (
  SELECT row_number() OVER () AS change, *
  FROM (
    SELECT *, lag(level) OVER history AS previous, lag(effective_at) OVER history AS unchanged_at
    FROM snapshot
    WINDOW history AS (PARTITION BY device_id, setting ORDER BY effective_at)
  )
  WHERE level < previous
), bearing AS (
  SELECT c.change, c.setting, n.category, n.device_id IS NOT NULL AS attributed, coalesce(n.cohort_at, c.effective_at) AS effective_at,
    1 / count(*) OVER (PARTITION BY c.change) AS share
  FROM change c
  LEFT JOIN (SELECT * FROM reach WHERE reached) n
    ON n.device_id = c.device_id AND n.cohort_at > c.unchanged_at AND n.cohort_at <= c.effective_at
), shared AS (
  SELECT category, attributed, coalesce(sum(share) FILTER (setting = 'authorization_status'), 0) AS opt_outs,
    coalesce(sum(share) FILTER (setting <> 'authorization_status'), 0) AS softer
  FROM bearing
  WHERE effective_at >= $from::TIMESTAMPTZ AND effective_at < $to::TIMESTAMPTZ
  GROUP BY ALL
), reached AS (
  SELECT category, true AS attributed, count(*) AS reached
  FROM reach
  WHERE reached AND cohort_at >= $from::TIMESTAMPTZ AND cohort_at < $to::TIMESTAMPTZ
  GROUP BY category
)
SELECT coalesce(r.category, s.category) AS category, coalesce(r.attributed, s.attributed) AS attributed, r.reached,
  coalesce(s.opt_outs, 0) AS opt_outs, coalesce(s.softer, 0) AS softer
FROM reached r
FULL JOIN shared s ON s.category IS NOT DISTINCT FROM r.category AND s.attributed = r.attributed;
