-- report: categories
-- purpose: The notification categories that apps registered or senders used: one row per category; with an interval, only
--   categories that its notifications carried. It finds categories that are registered and never used, categories that no app
--   registered (their buttons never show), and buttons that nobody uses. A row `other` sums everything beyond `limit`.
-- reads: notification, engagement, cohort_event, category
-- by rows: notifications with filters other than category
--
-- parameter: interval
-- parameter: from
-- parameter: to | Notifications, and first registrations, before this time
-- parameter: tz
-- parameter: limit | How many categories have rows of their own: those of the most notifications over the whole range; all
--   others share one row, `other`
-- filters: $notification_dimensions
-- table: interval_start, category, state, app_versions, buttons, buttons_used, buttons_unused, notifications, reached,
--   responded, response_only, unregistered_actions
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: category | text | | Its identifier; null for notifications that carried none
-- column: other | boolean | | True in the row of all categories beyond `limit`, which has only counts of notifications
-- column: state | text | | used (registered, and notifications carried it), dead (registered, and no notification carried
--   it), unregistered (notifications carried it, and no app version registered it); null for notifications without a category
-- column: app_versions | jsonb | | The app versions that registered it, including null for unknown versions; if more than
--   20, those with the newest registrations
-- column: app_versions_more | bigint | | The number of other app versions; null if not registered
-- column: first_registered_at | timestamptz | | The first registration
-- column: last_registered_at | timestamptz | | The newest registration known
-- column: custom_dismiss | boolean | | Whether the newest registration has custom_dismiss_action; null if not registered
-- column: buttons | bigint | buttons | Buttons of the newest registration, without one with the id `default`, whose presses cannot be told
--   from taps on the notification; null if not registered
-- column: buttons_used | bigint | buttons | Of them, buttons that somebody used
-- column: buttons_unused | jsonb | | Identifiers of the others, in the order of the category
-- column: unregistered_actions | jsonb | | Identifiers of used buttons that no app version registered; if more than 20,
--   those used on the most notifications
-- column: unregistered_actions_more | bigint | | The number of other such identifiers
-- column: notifications | bigint | notifications | Notifications that carried it
-- column: reached | bigint | notifications | Reached
-- column: responded | bigint | notifications | Of `reached`, responded to at any time
-- column: response_only | bigint | notifications | Of `notifications`, those known only by a response or dismissal: neither
--   in `reached` nor in `responded`
CREATE OR REPLACE FUNCTION report.categories(
  app text, "interval" text DEFAULT 'none', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', filters jsonb DEFAULT '{}', "limit" integer DEFAULT 1000, as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, category text, other boolean, state text, app_versions jsonb, app_versions_more bigint, first_registered_at timestamptz,
  last_registered_at timestamptz, custom_dismiss boolean, buttons bigint, buttons_used bigint, buttons_unused jsonb,
  unregistered_actions jsonb, unregistered_actions_more bigint, notifications bigint, reached bigint, responded bigint, response_only bigint, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app);
  listed     constant integer := 20;   -- names in a row; the rest is counted
  app_number integer := reporting.app_id(app);
  period     record;
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.divided_period("interval", "from", "to", tz, as_of);
  PERFORM reporting.filters(filters, accepted);
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH counted AS MATERIALIZED (
      SELECT slot, category, sum(notifications) AS notifications, sum(reached) AS reached, sum(responded) AS responded,
        sum(response_only) AS response_only
      FROM reporting.category_counts($1, $2, $3, $4, true)
      GROUP BY 1, 2
    ), known AS MATERIALIZED (
      SELECT category, min(first_at) AS first_at FROM reporting.categories_known_counts($1, $3, $4) GROUP BY 1
    ), named AS (
      SELECT category, notifications FROM counted
      UNION ALL
      SELECT category, 0 FROM known WHERE $8
    ), %s, version AS MATERIALIZED (   -- of the categories that have rows of their own
      SELECT DISTINCT ON (category, app_version) category, app_version,
        min(first_at) OVER (PARTITION BY category, app_version) AS first_at, registered_at, device_id, id, custom_dismiss, actions
      FROM reporting.categories_registration_counts($1, ARRAY(SELECT category FROM key WHERE key <= $6))
      ORDER BY category, app_version, registered_at DESC, device_id COLLATE "C" DESC, id DESC
    ), registration AS MATERIALIZED (
      SELECT i.slot, v.*
      FROM version v
      JOIN unnest($7::timestamptz[]) WITH ORDINALITY AS i (ends, slot) ON v.first_at < i.ends
      WHERE $8 OR EXISTS (SELECT FROM counted n WHERE (n.slot, n.category) = (i.slot, v.category))
    ), newest AS (
      SELECT DISTINCT ON (slot, category) slot, category, custom_dismiss, actions
      FROM registration
      ORDER BY slot, category, registered_at DESC, device_id COLLATE "C" DESC, id DESC
    ), registered AS (
      SELECT slot, category,
        jsonb_agg(nullif(app_version, '') ORDER BY nullif(app_version, '') COLLATE "C" NULLS LAST)
          FILTER (WHERE ordinal <= $9) AS app_versions,
        count(*) FILTER (WHERE ordinal > $9) AS more, min(first_at) AS first_at, max(registered_at) AS last_at
      FROM (
        SELECT r.*, row_number() OVER (PARTITION BY slot, category ORDER BY registered_at DESC, app_version COLLATE "C") AS ordinal
        FROM registration r
      ) r
      GROUP BY 1, 2
    ), taken AS MATERIALIZED (
      SELECT slot, category, action_id, sum(notifications) AS notifications
      FROM reporting.categories_action_counts($1, $2, $3, $4, ARRAY(SELECT category FROM key WHERE key <= $6))
      GROUP BY 1, 2, 3
    ), button AS (
      SELECT n.slot, n.category, count(*) AS buttons, count(t.action_id) AS used,
        jsonb_agg(b.action->>'id' ORDER BY b.ordinal) FILTER (WHERE t.action_id IS NULL) AS unused
      FROM newest n
      CROSS JOIN LATERAL jsonb_array_elements(n.actions) WITH ORDINALITY AS b (action, ordinal)
      LEFT JOIN taken t ON t.slot = n.slot AND t.category = n.category AND t.action_id = b.action->>'id'
      WHERE b.action->>'id' <> 'default'
      GROUP BY 1, 2
    ), offered AS (   -- since when any version had a button
      SELECT v.category, b.action->>'id' AS action_id, min(v.first_at) AS first_at
      FROM version v
      CROSS JOIN LATERAL jsonb_array_elements(v.actions) AS b (action)
      GROUP BY 1, 2
    ), stray AS (
      SELECT slot, category, jsonb_agg(action_id ORDER BY action_id COLLATE "C") FILTER (WHERE ordinal <= $9) AS actions,
        count(*) FILTER (WHERE ordinal > $9) AS more
      FROM (
        SELECT t.*, row_number() OVER (PARTITION BY t.slot, t.category ORDER BY t.notifications DESC, t.action_id COLLATE "C") AS ordinal
        FROM taken t
        LEFT JOIN offered o USING (category, action_id)
        WHERE o.first_at IS NULL OR o.first_at >= $7[t.slot]
      ) t
      GROUP BY 1, 2
    ), whole AS (
      SELECT slot, category, false AS other, r.app_versions, r.more, r.first_at, r.last_at, k.notifications, k.reached, k.responded,
        k.response_only
      FROM registered r
      FULL JOIN (SELECT c.* FROM counted c JOIN key k USING (category) WHERE k.key <= $6) k USING (slot, category)
      UNION ALL
      SELECT slot, '', true, NULL, NULL, NULL, NULL, sum(notifications), sum(reached), sum(responded), sum(response_only)
      FROM (
        SELECT slot, notifications, reached, responded, response_only FROM counted JOIN key k USING (category) WHERE k.key > $6
        UNION ALL
        SELECT i.slot, 0, 0, 0, 0
        FROM unnest($7::timestamptz[]) WITH ORDINALITY AS i (ends, slot)
        WHERE $8 AND i.ends > (SELECT min(o.first_at) FROM known o JOIN key k USING (category) WHERE k.key > $6)
      ) beyond
      GROUP BY slot
    )
    SELECT $5[slot], nullif(category, ''), other,
      CASE WHEN category = '' THEN NULL WHEN w.app_versions IS NULL THEN 'unregistered' WHEN w.notifications > 0 THEN 'used' ELSE 'dead' END,
      w.app_versions, w.more, w.first_at, w.last_at, n.custom_dismiss,
      CASE WHEN n.actions IS NOT NULL THEN coalesce(b.buttons, 0) END,
      CASE WHEN n.actions IS NOT NULL THEN coalesce(b.used, 0) END,
      CASE WHEN n.actions IS NOT NULL THEN coalesce(b.unused, '[]') END,
      CASE WHEN NOT other THEN coalesce(s.actions, '[]') END, CASE WHEN NOT other THEN coalesce(s.more, 0) END,
      coalesce(w.notifications, 0)::bigint, coalesce(w.reached, 0)::bigint, coalesce(w.responded, 0)::bigint,
      coalesce(w.response_only, 0)::bigint, (SELECT count(*) FROM key)
    FROM whole w
    LEFT JOIN newest n USING (slot, category)
    LEFT JOIN button b USING (slot, category)
    LEFT JOIN stray s USING (slot, category)
    ORDER BY slot, other, nullif(category, '') COLLATE "C" NULLS LAST
  $query$, reporting.keys('named', '{category}', 'notifications', '$6'))
  USING app_number, period.starts, period.to_at, filters, period.labels, "limit", period.ends, "interval" = 'none', listed;
END $$;
