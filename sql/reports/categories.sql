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
-- column: buttons | bigint | buttons | Buttons of the newest registration; null if not registered
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
  conditions text;
  taken      text;   -- the buttons that were, by interval and category
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.divided_period("interval", "from", "to", tz, as_of);
  conditions := reporting.row_filter(filters, accepted, '$6');
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  taken := format(CASE WHEN filters - 'category' = '{}' AND to_regclass('projection.cohort_action') IS NOT NULL THEN $query$
      SELECT reporting.slot(n.cohort_at, $2) AS slot, coalesce(n.category, '') AS category, n.action_id,
        count(*) AS notifications
      FROM projection.cohort_action n
      JOIN key k ON k.category = coalesce(n.category, '') AND k.key <= $8
      WHERE n.app_id = $1 AND n.cohort_at >= $3 AND n.cohort_at < $4 AND NOT n.is_dismissal
        AND n.action_id <> 'default' AND %s
      GROUP BY 1, 2, 3$query$
    ELSE $query$
      SELECT reporting.slot(n.cohort_at, $2) AS slot, coalesce(n.category, '') AS category, a.action_id,
        count(*) AS notifications
      FROM projection.notification n
      JOIN key k ON k.category = coalesce(n.category, '') AND k.key <= $8
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index lookup each
        SELECT * FROM projection.notification_action a
        WHERE (a.app_id, a.device_id, a.notification_id, a.occurrence) = ($1, n.device_id, n.notification_id, n.occurrence)
        OFFSET 0
      ) a
      WHERE n.app_id = $1 AND n.cohort_at >= $3 AND n.cohort_at < $4 AND n.responded AND a.action_id <> 'default' AND %s
      GROUP BY 1, 2, 3$query$
    END, conditions);

  RETURN QUERY EXECUTE format($query$
    WITH counted AS MATERIALIZED (
      SELECT * FROM reporting.counts_by_category($1, $2, $4, $6, true)
    ), known AS MATERIALIZED (
      SELECT c.category_id AS category, min(c.first_at) AS first_at
      FROM projection.category c
      WHERE c.app_id = $1 AND c.first_at < $4 AND reporting.matches(c.category_id, $6, 'category')
      GROUP BY 1
    ), named AS (
      SELECT category, notifications FROM counted
      UNION ALL
      SELECT category, 0 FROM known WHERE $9
    ), %2$s, registration AS MATERIALIZED (   -- of the categories that have rows of their own
      SELECT i.slot, c.*
      FROM projection.category c
      JOIN key k ON k.category = c.category_id AND k.key <= $8
      JOIN unnest($7::timestamptz[]) WITH ORDINALITY AS i (ends, slot) ON c.first_at < i.ends
      WHERE c.app_id = $1 AND reporting.matches(c.category_id, $6, 'category')
        AND ($9 OR EXISTS (SELECT FROM counted n WHERE (n.slot, n.category) = (i.slot, c.category_id)))
    ), newest AS (
      SELECT DISTINCT ON (slot, category_id) slot, category_id AS category, custom_dismiss, definition
      FROM registration
      ORDER BY slot, category_id, registered_at DESC, device_id DESC, id DESC
    ), registered AS (
      SELECT slot, category_id AS category,
        jsonb_agg(nullif(app_version, '') ORDER BY nullif(app_version, '') NULLS LAST)
          FILTER (WHERE ordinal <= $10) AS app_versions,
        count(*) FILTER (WHERE ordinal > $10) AS more, min(first_at) AS first_at, max(registered_at) AS last_at
      FROM (
        SELECT r.*, row_number() OVER (PARTITION BY slot, category_id ORDER BY registered_at DESC, app_version) AS ordinal
        FROM registration r
      ) r
      GROUP BY 1, 2
    ), taken AS MATERIALIZED (
      %1$s
    ), button AS (
      SELECT n.slot, n.category, count(*) AS buttons, count(t.action_id) AS used,
        jsonb_agg(b.action->>'id' ORDER BY b.ordinal) FILTER (WHERE t.action_id IS NULL) AS unused
      FROM newest n
      CROSS JOIN LATERAL jsonb_array_elements(n.definition->'actions') WITH ORDINALITY AS b (action, ordinal)
      LEFT JOIN taken t ON t.slot = n.slot AND t.category = n.category AND t.action_id = b.action->>'id'
      GROUP BY 1, 2
    ), offered AS (   -- since when any version had a button
      SELECT c.category_id AS category, b.action->>'id' AS action_id, min(c.first_at) AS first_at
      FROM projection.category c
      JOIN key k ON k.category = c.category_id AND k.key <= $8
      CROSS JOIN LATERAL jsonb_array_elements(c.definition->'actions') AS b (action)
      WHERE c.app_id = $1 AND reporting.matches(c.category_id, $6, 'category')
      GROUP BY 1, 2
    ), stray AS (
      SELECT slot, category, jsonb_agg(action_id ORDER BY action_id) FILTER (WHERE ordinal <= $10) AS actions,
        count(*) FILTER (WHERE ordinal > $10) AS more
      FROM (
        SELECT t.*, row_number() OVER (PARTITION BY t.slot, t.category ORDER BY t.notifications DESC, t.action_id) AS ordinal
        FROM taken t
        LEFT JOIN offered o USING (category, action_id)
        WHERE o.first_at IS NULL OR o.first_at >= $7[t.slot]
      ) t
      GROUP BY 1, 2
    ), whole AS (
      SELECT slot, category, false AS other, r.app_versions, r.more, r.first_at, r.last_at, k.notifications, k.reached, k.responded,
        k.response_only
      FROM registered r
      FULL JOIN (SELECT c.* FROM counted c JOIN key k USING (category) WHERE k.key <= $8) k USING (slot, category)
      UNION ALL
      SELECT slot, '', true, NULL, NULL, NULL, NULL, sum(notifications), sum(reached), sum(responded), sum(response_only)
      FROM (
        SELECT slot, notifications, reached, responded, response_only FROM counted JOIN key k USING (category) WHERE k.key > $8
        UNION ALL
        SELECT i.slot, 0, 0, 0, 0
        FROM unnest($7::timestamptz[]) WITH ORDINALITY AS i (ends, slot)
        WHERE $9 AND i.ends > (SELECT min(o.first_at) FROM known o JOIN key k USING (category) WHERE k.key > $8)
      ) beyond
      GROUP BY slot
    )
    SELECT $5[slot], nullif(category, ''), other,
      CASE WHEN category = '' THEN NULL WHEN w.app_versions IS NULL THEN 'unregistered' WHEN w.notifications > 0 THEN 'used' ELSE 'dead' END,
      w.app_versions, w.more, w.first_at, w.last_at, n.custom_dismiss,
      CASE WHEN n.definition IS NOT NULL THEN coalesce(b.buttons, 0) END,
      CASE WHEN n.definition IS NOT NULL THEN coalesce(b.used, 0) END,
      CASE WHEN n.definition IS NOT NULL THEN coalesce(b.unused, '[]') END,
      CASE WHEN NOT other THEN coalesce(s.actions, '[]') END, CASE WHEN NOT other THEN coalesce(s.more, 0) END,
      coalesce(w.notifications, 0)::bigint, coalesce(w.reached, 0)::bigint, coalesce(w.responded, 0)::bigint,
      coalesce(w.response_only, 0)::bigint, (SELECT count(*) FROM key)
    FROM whole w
    LEFT JOIN newest n USING (slot, category)
    LEFT JOIN button b USING (slot, category)
    LEFT JOIN stray s USING (slot, category)
    ORDER BY slot, other, nullif(category, '') NULLS LAST
  $query$, taken, reporting.keys('named', '{category}', 'notifications', '$8'))
  USING app_number, period.starts, period.from_at, period.to_at, period.labels, filters, period.ends, "limit", "interval" = 'none',
    listed;
END $$;
