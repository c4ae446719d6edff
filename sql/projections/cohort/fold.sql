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
