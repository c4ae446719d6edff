-- projection: cohort
-- with: notification
-- after: notification

-- What is stored of devices' days of variants around stretches of time, each under its number: the days that lie in the
-- stretch; and on either side the nearest one, and the nearest one with a notification reached.
CREATE OR REPLACE FUNCTION variant_days_around(
  apps integer[], devices text[], categories text[], campaigns text[], variants text[], froms timestamptz[], tos timestamptz[])
RETURNS TABLE (ordinal integer, day timestamptz, notifications bigint, reached bigint, within_1h bigint, within_6h bigint,
  within_1d bigint, within_3d bigint, within_7d bigint, within_30d bigint)
LANGUAGE sql STABLE AS $$
  SELECT k.ordinal, v.day, v.notifications, v.reached, v.within_1h, v.within_6h, v.within_1d, v.within_3d, v.within_7d, v.within_30d
  FROM (
    SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(devices) AS device,
      unnest(categories) AS category, unnest(campaigns) AS campaign, unnest(variants) AS variant, unnest(froms) AS from_day,
      unnest(tos) AS to_day
  ) k
  CROSS JOIN LATERAL (
    (SELECT * FROM variant_day v
    WHERE (v.app_id, v.device_id, v.category, v.campaign, v.variant) = (k.app, k.device, k.category, k.campaign, k.variant)
      AND v.day >= k.from_day AND v.day <= k.to_day)
    UNION ALL
    (SELECT * FROM variant_day v
    WHERE (v.app_id, v.device_id, v.category, v.campaign, v.variant) = (k.app, k.device, k.category, k.campaign, k.variant)
      AND v.day < k.from_day
    ORDER BY v.app_id DESC, v.device_id DESC, v.category DESC, v.campaign DESC, v.variant DESC, v.day DESC LIMIT 1)
    UNION
    (SELECT * FROM variant_day v
    WHERE (v.app_id, v.device_id, v.category, v.campaign, v.variant) = (k.app, k.device, k.category, k.campaign, k.variant)
      AND v.day < k.from_day AND v.reached > 0
    ORDER BY v.app_id DESC, v.device_id DESC, v.category DESC, v.campaign DESC, v.variant DESC, v.day DESC LIMIT 1)
    UNION ALL
    (SELECT * FROM variant_day v
    WHERE (v.app_id, v.device_id, v.category, v.campaign, v.variant) = (k.app, k.device, k.category, k.campaign, k.variant)
      AND v.day > k.to_day
    ORDER BY v.app_id, v.device_id, v.category, v.campaign, v.variant, v.day LIMIT 1)
    UNION
    (SELECT * FROM variant_day v
    WHERE (v.app_id, v.device_id, v.category, v.campaign, v.variant) = (k.app, k.device, k.category, k.campaign, k.variant)
      AND v.day > k.to_day AND v.reached > 0
    ORDER BY v.app_id, v.device_id, v.category, v.campaign, v.variant, v.day LIMIT 1)
  ) v
$$;

-- The numbers of devices, each with a category and campaign, that have got several variants of it or are stored as such.
CREATE OR REPLACE FUNCTION variants_crossed(apps integer[], categories text[], campaigns text[], devices text[])
RETURNS TABLE (ordinal integer, is_crossed boolean, is_known boolean)
LANGUAGE sql STABLE AS $$
  SELECT * FROM (
    SELECT k.ordinal,
      coalesce((
        SELECT v.variant FROM variant_day v
        WHERE (v.app_id, v.device_id, v.category, v.campaign) = (k.app, k.device, k.category, k.campaign)
        ORDER BY v.app_id, v.device_id, v.category, v.campaign, v.variant LIMIT 1) <> (
        SELECT v.variant FROM variant_day v
        WHERE (v.app_id, v.device_id, v.category, v.campaign) = (k.app, k.device, k.category, k.campaign)
        ORDER BY v.app_id DESC, v.device_id DESC, v.category DESC, v.campaign DESC, v.variant DESC LIMIT 1), false) AS is_crossed,
      -- Not EXISTS: the planner would read all of them once rather than look them up.
      (SELECT true FROM variant_crossed x
        WHERE (x.app_id, x.category, x.campaign, x.device_id) = (k.app, k.category, k.campaign, k.device)) IS NOT NULL AS is_known
    FROM (
      SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(categories) AS category,
        unnest(campaigns) AS campaign, unnest(devices) AS device
    ) k
  ) found
  WHERE is_crossed OR is_known
$$;

-- The most notifications beside the changes of a device's settings that setting_change keeps, of three times as many that it reads
-- for one change. Of more than 100 periods of settings it keeps none: every change of one writes all of them again.
CREATE OR REPLACE FUNCTION setting_rows() RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('notilog.setting_rows', true), '')::integer, 1000)
$$;

-- Writes again which settings were turned down on devices. A device beyond a bound is not kept from then on.
CREATE OR REPLACE FUNCTION write_setting_changes(apps integer[], devices text[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  most constant integer := setting_rows();
  most_read constant bigint := 3::bigint * most;
  most_periods constant integer := least(most, 100);
  one  record;
  kept boolean;
BEGIN
  FOR one IN
    SELECT d.app_id, d.device_id
    FROM (SELECT DISTINCT unnest(apps) AS app_id, unnest(devices) AS device_id) d
    WHERE NOT EXISTS (SELECT FROM setting_excess e WHERE (e.app_id, e.device_id) = (d.app_id, d.device_id))
  LOOP
    DELETE FROM setting_change c WHERE (c.app_id, c.device_id) = (one.app_id, one.device_id);
    WITH run AS MATERIALIZED (
      SELECT p.first_at, p.first_id, p.last_at, projection.setting_levels(p.value) AS levels, count(*) OVER () AS runs
      FROM (
        SELECT * FROM device_period p
        WHERE (p.app_id, p.device_id, p.series) = (one.app_id, one.device_id, 'settings')
        ORDER BY p.app_id, p.device_id, p.series, p.first_at, p.first_id
        LIMIT most_periods + 1
      ) p
    ), change AS (
      SELECT l.slot, l.first_at AS changed_at, l.first_id AS changed_id, l.unchanged_at
      FROM (
        SELECT s.slot, r.first_at, r.first_id, (r.levels >> s.slot) & 1 AS level,
          lag((r.levels >> s.slot) & 1) OVER history AS previous, lag(r.last_at) OVER history AS unchanged_at
        FROM run r
        JOIN generate_series(0, cardinality(projection.turned_down_settings()) - 1) AS s (slot) ON r.levels & (65537 << s.slot) <> 0
        WHERE r.runs <= most_periods
        WINDOW history AS (PARTITION BY s.slot ORDER BY r.first_at, r.first_id)
      ) l
      WHERE l.level < l.previous
    ), shared AS MATERIALIZED (
      SELECT c.*, n.cohort_ats, n.categories, n.campaigns, sum(cardinality(n.cohort_ats)) OVER () AS notifications,
        n.read > most_read AS is_beyond
      FROM change c
      CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(n.cohort_at ORDER BY n.cohort_at, n.category, n.campaign) FILTER (WHERE n.is_reached), '{}') AS cohort_ats,
          coalesce(array_agg(n.category ORDER BY n.cohort_at, n.category, n.campaign) FILTER (WHERE n.is_reached), '{}') AS categories,
          coalesce(array_agg(n.campaign ORDER BY n.cohort_at, n.category, n.campaign) FILTER (WHERE n.is_reached), '{}') AS campaigns,
          count(*) AS read
        FROM (   -- the bound is of those that are read, too: they need not have reached the device
          SELECT n.cohort_at, coalesce(n.category, '') AS category, coalesce(n.campaign, '') AS campaign,
            n.reached_seen OR n.reached_assumed AS is_reached
          FROM notification n
          WHERE (n.app_id, n.device_id) = (one.app_id, one.device_id)
            AND n.cohort_at > c.unchanged_at AND n.cohort_at <= c.changed_at
          LIMIT most_read + 1
        ) n
      ) n
    ), written AS (
      INSERT INTO setting_change
      SELECT one.app_id, one.device_id, (projection.turned_down_settings())[s.slot + 1], s.changed_at, s.changed_id, s.unchanged_at,
        s.cohort_ats, s.categories, s.campaigns
      FROM shared s
      WHERE s.notifications <= most AND NOT s.is_beyond
    )
    SELECT coalesce((SELECT max(r.runs) <= most_periods FROM run r), true)
      AND coalesce((SELECT max(s.notifications) <= most AND NOT bool_or(s.is_beyond) FROM shared s), true)
    INTO kept;
    IF NOT kept THEN
      INSERT INTO setting_excess VALUES (one.app_id, one.device_id);
    END IF;
  END LOOP;
END $$;
