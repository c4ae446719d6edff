-- Settings that people turned down, each shared out over the notifications that may be why: one row per change and
-- notification, or one without a notification where none reached the device in between. `change` numbers the changes of
-- this answer. Only changes of the settings `wanted`, seen at `from_at` or later, up to `as_of`.
--
-- A change is seen only at the next snapshot. It happened after the last snapshot that still had the old value
-- (`unchanged_at`) and not after the first with the new one (`changed_at`); `share` is 1 / the number of notifications
-- that reached the device in that time. `setting` is authorization_status where an app that might notify no longer may,
-- else the softer setting turned off (for scheduled_delivery: on).
--
-- The projection keeps the cohort, category and campaign of those notifications ('' for none). Their keys are null, unless
-- `by_key` is asked for: then each is looked up.
CREATE OR REPLACE FUNCTION reporting.setting_shares(
  app_number integer, wanted text[], from_at timestamptz, as_of timestamptz, by_key boolean
) RETURNS TABLE (
  change bigint, device_id text, setting text, unchanged_at timestamptz, changed_at timestamptz, share numeric,
  notification_id text, occurrence timestamptz, cohort_at timestamptz, category text, campaign text)
LANGUAGE sql STABLE ROWS 1000 SET jit = off AS $$
  SELECT c.change, c.device_id, c.setting, c.unchanged_at, c.changed_at, coalesce(c.share, 1::numeric / n.notifications),
    n.notification_id, n.occurrence, n.cohort_at, n.category, n.campaign
  FROM (
    SELECT row_number() OVER () AS change, s.*, 1::numeric / nullif(cardinality(s.cohort_ats), 0) AS share
    FROM reporting.setting_changes(app_number, wanted, from_at, as_of) s
  ) c
  LEFT JOIN LATERAL (
    SELECT NULL::bigint AS notifications, NULL::text AS notification_id, NULL::timestamptz AS occurrence, k.*
    FROM unnest(c.cohort_ats, c.categories, c.campaigns) AS k (cohort_at, category, campaign)
    WHERE NOT by_key
    UNION ALL
    SELECT * FROM (   -- OFFSET keeps it to one index scan a change
      SELECT count(*) OVER (), n.notification_id, n.occurrence, n.cohort_at, coalesce(n.category, ''), coalesce(n.campaign, '')
      FROM projection.notification n
      WHERE n.app_id = app_number AND n.device_id = c.device_id
        AND n.cohort_at > c.unchanged_at AND n.cohort_at <= c.changed_at AND (n.reached_seen OR n.reached_assumed)
      OFFSET 0
    ) n
    WHERE by_key OR c.cohort_ats IS NULL
  ) n ON true
$$;

-- The changes themselves. The arrays are of the notifications that each is shared among; null where the projection does not
-- keep them.
CREATE OR REPLACE FUNCTION reporting.setting_changes(app_number integer, wanted text[], from_at timestamptz, as_of timestamptz)
RETURNS TABLE (
  device_id text, setting text, unchanged_at timestamptz, changed_at timestamptz, cohort_ats timestamptz[], categories text[],
  campaigns text[])
LANGUAGE plpgsql STABLE ROWS 1000 SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  scanned text[];   -- the devices of which it keeps none; null for all
BEGIN
  IF reporting.has_column('projection.setting_change', 'changed_at') THEN
    RETURN QUERY
    SELECT c.device_id, c.setting, c.unchanged_at, c.changed_at, c.cohort_ats, c.categories, c.campaigns
    FROM projection.setting_change c
    WHERE c.app_id = app_number AND c.changed_at >= from_at AND c.changed_at <= as_of AND c.setting = ANY (wanted);
    scanned := ARRAY(SELECT e.device_id FROM projection.setting_excess e WHERE e.app_id = app_number);
    IF scanned = '{}' THEN
      RETURN;
    END IF;
  END IF;

  RETURN QUERY
  WITH run AS MATERIALIZED (
    SELECT p.device_id, p.first_at, p.first_id, p.last_at, projection.setting_levels(p.value) AS levels
    FROM (
      SELECT p.device_id
      FROM projection.device_period p
      WHERE p.app_id = app_number AND p.series = 'settings' AND p.first_at <= as_of
        AND (scanned IS NULL OR p.device_id = ANY (scanned))
      GROUP BY p.device_id
      HAVING count(*) > 1 AND max(p.first_at) >= from_at
    ) several
    CROSS JOIN LATERAL (   -- OFFSET keeps it to one look-up each
      SELECT * FROM projection.device_period p
      WHERE (p.app_id, p.device_id, p.series) = (app_number, several.device_id, 'settings') AND p.first_at <= as_of
      OFFSET 0
    ) p
  ), turned AS (   -- the settings that a device ever had both on and off
    SELECT r.device_id, bit_or(r.levels) & (bit_or(r.levels) >> 16) AS slots
    FROM run r
    GROUP BY r.device_id
    HAVING bit_or(r.levels) & (bit_or(r.levels) >> 16) <> 0
  ), level AS (   -- 1 on, 0 off
    SELECT r.device_id, s.setting, (r.levels >> s.slot) & 1 AS level, r.first_at, r.first_id, r.last_at
    FROM run r
    JOIN turned t USING (device_id)
    JOIN (
      SELECT n.setting, n.number::integer - 1 AS slot
      FROM unnest(projection.turned_down_settings()) WITH ORDINALITY AS n (setting, number)
    ) s ON (t.slots >> s.slot) & 1 = 1 AND r.levels & (65537 << s.slot) <> 0
    WHERE s.setting = ANY (wanted)
  )
  SELECT l.device_id, l.setting, l.unchanged_at, l.changed_at, NULL::timestamptz[], NULL::text[], NULL::text[]
  FROM (
    SELECT e.device_id, e.setting, e.level, e.first_at AS changed_at, lag(e.level) OVER history AS previous,
      lag(e.last_at) OVER history AS unchanged_at
    FROM level e
    WINDOW history AS (PARTITION BY e.device_id, e.setting ORDER BY e.first_at, e.first_id)
  ) l
  WHERE l.level < l.previous AND l.changed_at >= from_at;
END $$;
