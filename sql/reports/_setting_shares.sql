-- Settings that people turned down, each shared out over the notifications that may be why: one row per change and
-- notification, or one without a notification where none reached the device in between. `change` numbers the changes of
-- this answer. Only changes of the settings `wanted`, seen at `from_at` or later, up to `as_of`.
--
-- A change is seen only at the next snapshot. It happened after the last snapshot that still had the old value
-- (`unchanged_at`) and not after the first with the new one (`changed_at`); `share` is 1 / the number of notifications
-- that reached the device in that time. `setting` is authorization_status where an app that might notify no longer may,
-- else the softer setting turned off (for scheduled_delivery: on). Softer settings are read only from snapshots with
-- full authorization, as the others force them. What a snapshot leaves out is unknown, and passed over.
CREATE OR REPLACE FUNCTION report.setting_shares(
  app_number integer, wanted text[], from_at timestamptz, as_of timestamptz
) RETURNS TABLE (
  change bigint, device_id text, setting text, unchanged_at timestamptz, changed_at timestamptz, notifications bigint, share numeric,
  notification_id text, occurrence timestamptz, cohort_at timestamptz, category text)
LANGUAGE sql STABLE ROWS 1000 SET jit = off AS $$
  WITH run AS (
    SELECT * FROM (
      SELECT p.*, p.value->>'authorization_status' AS status, count(*) OVER (PARTITION BY p.device_id) AS runs
      FROM projection.device_period p
      WHERE p.app_id = app_number AND p.series = 'settings' AND p.first_at <= as_of
    ) p
    WHERE runs > 1
  ), level AS (   -- 1 on, 0 off
    SELECT r.device_id, s.setting, s.level, r.first_at, r.first_id, r.last_at
    FROM run r
    CROSS JOIN LATERAL (
      SELECT 'authorization_status' AS setting,
        CASE WHEN status = 'denied' THEN 0 WHEN status IN ('authorized', 'provisional', 'ephemeral') THEN 1 END AS level
      UNION ALL
      SELECT v.setting, CASE v.value WHEN 'enabled' THEN 1 WHEN 'disabled' THEN 0 END
      FROM (VALUES ('alert', r.value->>'alert'), ('sound', r.value->>'sound'), ('badge', r.value->>'badge'),
        ('lock_screen', r.value->>'lock_screen'), ('notification_center', r.value->>'notification_center'),
        ('time_sensitive', r.value->>'time_sensitive'),
        ('scheduled_delivery', CASE r.value->>'scheduled_delivery' WHEN 'enabled' THEN 'disabled' WHEN 'disabled' THEN 'enabled' END)
      ) AS v (setting, value)
      WHERE status IS NULL OR status IN ('authorized', 'ephemeral')
    ) s
    WHERE s.level IS NOT NULL AND s.setting = ANY (wanted)
  ), change AS MATERIALIZED (
    SELECT *, row_number() OVER () AS change
    FROM (
      SELECT device_id, setting, level, first_at AS changed_at, lag(level) OVER history AS previous,
        lag(last_at) OVER history AS unchanged_at
      FROM level
      WINDOW history AS (PARTITION BY device_id, setting ORDER BY first_at, first_id)
    ) l
    WHERE level < previous AND changed_at >= from_at
  )
  SELECT c.change, c.device_id, c.setting, c.unchanged_at, c.changed_at, count(n.device_id) OVER each,
    1::numeric / nullif(count(n.device_id) OVER each, 0), n.notification_id, n.occurrence, n.cohort_at, n.category
  FROM change c
  LEFT JOIN LATERAL (   -- OFFSET keeps it to one index scan a change
    SELECT n.device_id, n.notification_id, n.occurrence, n.cohort_at, n.category
    FROM projection.notification n
    WHERE n.app_id = app_number AND n.device_id = c.device_id
      AND n.cohort_at > c.unchanged_at AND n.cohort_at <= c.changed_at AND (n.reached_seen OR n.reached_assumed)
    OFFSET 0
  ) n ON true
  WINDOW each AS (PARTITION BY c.change)
$$;
