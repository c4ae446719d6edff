-- Settings that people turned down, each shared out over the notifications that may be why: one row per change and
-- notification, or one without a notification where none reached the device in between. `change` numbers the changes of
-- this answer. Only changes of the settings `wanted`, seen at `from_at` or later, up to `as_of`.
--
-- A change is seen only at the next snapshot. It happened after the last snapshot that still had the old value
-- (`unchanged_at`) and not after the first with the new one (`changed_at`); `share` is 1 / the number of notifications
-- that reached the device in that time. `setting` is authorization_status where an app that might notify no longer may,
-- else the softer setting turned off (for scheduled_delivery: on). Softer settings are read only from snapshots with
-- full authorization, as the others force them, and one that does not say may be any. What a snapshot leaves out is unknown, and passed over.
CREATE OR REPLACE FUNCTION reporting.setting_shares(
  app_number integer, wanted text[], from_at timestamptz, as_of timestamptz
) RETURNS TABLE (
  change bigint, device_id text, setting text, unchanged_at timestamptz, changed_at timestamptz, notifications bigint, share numeric,
  notification_id text, occurrence timestamptz, cohort_at timestamptz, category text)
LANGUAGE sql STABLE ROWS 1000 SET jit = off AS $$
  WITH run AS MATERIALIZED (
    -- What each snapshot says of each setting, as bits: those that are on, and 16 higher those that are off.
    SELECT p.device_id, p.first_at, p.first_id, p.last_at,
      CASE p.value->>'authorization_status' WHEN 'denied' THEN 1 << 16 WHEN 'authorized' THEN 1 WHEN 'provisional' THEN 1
        WHEN 'ephemeral' THEN 1 ELSE 0 END
      | CASE WHEN wanted <> '{authorization_status}'
          AND p.value->>'authorization_status' IN ('authorized', 'ephemeral') THEN
          CASE p.value->>'alert' WHEN 'enabled' THEN 1 << 1 WHEN 'disabled' THEN 1 << 17 ELSE 0 END
          | CASE p.value->>'sound' WHEN 'enabled' THEN 1 << 2 WHEN 'disabled' THEN 1 << 18 ELSE 0 END
          | CASE p.value->>'badge' WHEN 'enabled' THEN 1 << 3 WHEN 'disabled' THEN 1 << 19 ELSE 0 END
          | CASE p.value->>'lock_screen' WHEN 'enabled' THEN 1 << 4 WHEN 'disabled' THEN 1 << 20 ELSE 0 END
          | CASE p.value->>'notification_center' WHEN 'enabled' THEN 1 << 5 WHEN 'disabled' THEN 1 << 21 ELSE 0 END
          | CASE p.value->>'time_sensitive' WHEN 'enabled' THEN 1 << 6 WHEN 'disabled' THEN 1 << 22 ELSE 0 END
          | CASE p.value->>'scheduled_delivery' WHEN 'disabled' THEN 1 << 7 WHEN 'enabled' THEN 1 << 23 ELSE 0 END
        ELSE 0 END AS levels
    FROM (
      SELECT device_id
      FROM projection.device_period
      WHERE app_id = app_number AND series = 'settings' AND first_at <= as_of
      GROUP BY device_id
      HAVING count(*) > 1 AND max(first_at) >= from_at
    ) several
    JOIN projection.device_period p USING (device_id)
    WHERE p.app_id = app_number AND p.series = 'settings' AND p.first_at <= as_of
  ), turned AS (   -- the settings that a device ever had both on and off
    SELECT device_id, bit_or(levels) & (bit_or(levels) >> 16) AS slots
    FROM run
    GROUP BY device_id
    HAVING bit_or(levels) & (bit_or(levels) >> 16) <> 0
  ), level AS (   -- 1 on, 0 off
    SELECT r.device_id, s.setting, (r.levels >> s.slot) & 1 AS level, r.first_at, r.first_id, r.last_at
    FROM run r
    JOIN turned t USING (device_id)
    JOIN (VALUES (0, 'authorization_status'), (1, 'alert'), (2, 'sound'), (3, 'badge'), (4, 'lock_screen'),
      (5, 'notification_center'), (6, 'time_sensitive'), (7, 'scheduled_delivery')) AS s (slot, setting)
      ON (t.slots >> s.slot) & 1 = 1 AND r.levels & (65537 << s.slot) <> 0
    WHERE s.setting = ANY (wanted)
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
