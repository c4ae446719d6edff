WITH snapshot AS (
  SELECT device_id, effective_at, changes.1 AS setting, changes.2 AS level
  FROM (
    SELECT device_id, effective_at, authorization_status IS NULL OR authorization_status IN ('authorized', 'ephemeral') AS whole,
      [
        ('authorization_status', multiIf(authorization_status = 'denied', 0,
          authorization_status IN ('authorized', 'provisional', 'ephemeral'), 1, NULL)),
        ('alert', multiIf(NOT whole, NULL, alert = 'enabled', 1, alert = 'disabled', 0, NULL)),
        ('sound', multiIf(NOT whole, NULL, sound = 'enabled', 1, sound = 'disabled', 0, NULL)),
        ('badge', multiIf(NOT whole, NULL, badge = 'enabled', 1, badge = 'disabled', 0, NULL)),
        ('lock_screen', multiIf(NOT whole, NULL, lock_screen = 'enabled', 1, lock_screen = 'disabled', 0, NULL)),
        ('notification_center', multiIf(NOT whole, NULL, notification_center = 'enabled', 1, notification_center = 'disabled', 0, NULL)),
        ('time_sensitive', multiIf(NOT whole, NULL, time_sensitive = 'enabled', 1, time_sensitive = 'disabled', 0, NULL)),
        ('scheduled_delivery', multiIf(NOT whole, NULL, scheduled_delivery = 'enabled', 0, scheduled_delivery = 'disabled', 1, NULL))
      ] AS levels
    FROM event
    WHERE kind = 'settings'
  )
  ARRAY JOIN levels AS changes
  WHERE level IS NOT NULL
), change AS (
  SELECT row_number() OVER () AS number, *
  FROM (
    SELECT *, lagInFrame(level) OVER history AS previous, lagInFrame(toNullable(effective_at)) OVER history AS unchanged_at
    FROM snapshot
    WINDOW history AS (PARTITION BY device_id, setting ORDER BY effective_at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
  )
  WHERE level < previous
), between_changes AS (
  SELECT c.number AS number, n.category AS category, n.cohort_at AS cohort_at
  FROM change c
  JOIN (SELECT device_id, category, cohort_at FROM reach WHERE reached) n ON n.device_id = c.device_id
  WHERE n.cohort_at > c.unchanged_at AND n.cohort_at <= c.effective_at
), bearing AS (
  SELECT c.number AS number, c.setting AS setting, n.category AS category, n.number IS NOT NULL AS attributed,
    coalesce(n.cohort_at, c.effective_at) AS borne_at, 1 / count() OVER (PARTITION BY c.number) AS share
  FROM change c
  LEFT JOIN between_changes n ON n.number = c.number
), shared AS (
  SELECT category, attributed, sumIf(share, setting = 'authorization_status') AS opt_outs, sumIf(share, setting <> 'authorization_status') AS softer
  FROM bearing
  WHERE borne_at >= {from:DateTime64(6, 'UTC')} AND borne_at < {to:DateTime64(6, 'UTC')}
  GROUP BY category, attributed
), reached_category AS (
  SELECT category, true AS attributed, count() AS reached
  FROM reach
  WHERE reached AND cohort_at >= {from:DateTime64(6, 'UTC')} AND cohort_at < {to:DateTime64(6, 'UTC')}
  GROUP BY category
)
SELECT coalesce(r.category, s.category) AS category, coalesce(r.attributed, s.attributed) AS attributed, r.reached AS reached,
  coalesce(s.opt_outs, 0) AS opt_outs, coalesce(s.softer, 0) AS softer
FROM reached_category r
FULL JOIN shared s ON s.category IS NOT DISTINCT FROM r.category AND s.attributed = r.attributed;
