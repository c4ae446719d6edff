-- report: categories
-- purpose: The notification categories that apps registered or senders used: one row per category, per interval where
--   asked. It finds those registered for nothing, those sent that no app knows (their buttons never show), and buttons
--   that nobody takes.
-- reads: notification, engagement, cohort_event, category
--
-- parameter: interval | choice | none | none, hour, day, week, month | Rows per interval of local time
-- parameter: from | time | 30 days before to | an RFC 3339 time, or a date in tz | Notifications from then on
-- parameter: to | time | now | an RFC 3339 time, or a date in tz | Notifications, and first registrations, before then
-- parameter: tz | zone | UTC | an IANA time zone | Whose dates and intervals
-- filters: category, requested_category, trigger, interruption_level, campaign, variant, platform, os_version,
--   app_version, locale
-- table: interval_start, category, state, app_versions, buttons, buttons_used, buttons_unused, notifications, reached,
--   responded, unregistered_actions
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: category | text | | Its identifier; null for notifications that carried none
-- column: state | text | | used (registered, and notifications carried it), dead (registered, and none did), unregistered
--   (notifications carried it, and no app version registered it); null for notifications that carried none
-- column: app_versions | jsonb | | The app versions that registered it, null among them where a registration did not say
-- column: first_registered_at | timestamptz | | The first registration
-- column: last_registered_at | timestamptz | | The newest registration known
-- column: custom_dismiss | boolean | | Whether the newest registration has custom_dismiss_action; null where not registered
-- column: buttons | bigint | buttons | Of the newest registration; null where not registered
-- column: buttons_used | bigint | buttons | Of them, taken on a notification
-- column: buttons_unused | jsonb | | Identifiers of the others, as they stand in the category
-- column: unregistered_actions | jsonb | | Identifiers of buttons that were taken and that no app version registered
-- column: notifications | bigint | notifications | That carried it
-- column: reached | bigint | notifications | Reached
-- column: responded | bigint | notifications | Responded to
CREATE OR REPLACE FUNCTION report.categories(
  app text, "interval" text DEFAULT 'none', "from" timestamptz DEFAULT NULL, "to" timestamptz DEFAULT NULL,
  tz text DEFAULT 'UTC', filters jsonb DEFAULT '{}', as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, category text, state text, app_versions jsonb, first_registered_at timestamptz,
  last_registered_at timestamptz, custom_dismiss boolean, buttons bigint, buttons_used bigint, buttons_unused jsonb,
  unregistered_actions jsonb, notifications bigint, reached bigint, responded bigint)
LANGUAGE plpgsql STABLE SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  accepted   constant text[] := '{category,requested_category,trigger,interruption_level,campaign,variant,platform,os_version,app_version,locale}';
  app_number integer := report.app_id(app);
  period     record;
  starts     timestamptz[];
  ends       timestamptz[];
  labels     timestamptz[];
  conditions text;
  on_category text;
  taken      text;   -- the buttons that were, by interval and category
BEGIN
  period := report.period("from", "to", as_of);
  SELECT array_agg(i.begins ORDER BY i.begins), array_agg(i.ends ORDER BY i.begins), array_agg(i.interval_start ORDER BY i.begins)
  INTO starts, ends, labels
  FROM report.intervals("interval", period.from_at, period.to_at, tz) i;
  conditions := report.filter(filters,
    (SELECT jsonb_object_agg(name, format('coalesce(n.%I, '''')', name)) FROM unnest(accepted) AS name));
  on_category := report.filter(CASE WHEN filters ? 'category' THEN jsonb_build_object('category', filters->'category') ELSE '{}' END,
    '{"category": "c.category_id"}');
  IF starts IS NULL THEN
    RETURN;
  END IF;

  taken := format(CASE WHEN filters - 'category' = '{}' AND to_regclass('projection.cohort_action') IS NOT NULL THEN $query$
      SELECT DISTINCT %1$s AS place, coalesce(n.category, '') AS category, n.action_id
      FROM projection.cohort_action n
      WHERE n.app_id = $1 AND n.cohort_at >= $3 AND n.cohort_at < $4 AND NOT n.is_dismissal AND n.action_id <> 'default' AND %2$s$query$
    ELSE $query$
      SELECT DISTINCT %1$s AS place, coalesce(n.category, '') AS category, a.action_id
      FROM projection.notification n
      JOIN projection.notification_action a USING (app_id, device_id, notification_id, occurrence)
      WHERE n.app_id = $1 AND n.cohort_at >= $3 AND n.cohort_at < $4 AND n.responded AND a.action_id <> 'default' AND %2$s$query$
    END, CASE WHEN cardinality(starts) = 1 THEN '1' ELSE 'width_bucket(n.cohort_at, $2)' END, conditions);

  RETURN QUERY EXECUTE format($query$
    WITH registration AS MATERIALIZED (
      SELECT i.place, c.*
      FROM unnest($7::timestamptz[]) WITH ORDINALITY AS i (ends, place)
      JOIN projection.category c ON c.app_id = $1 AND c.first_at < i.ends AND %2$s
    ), newest AS (
      SELECT DISTINCT ON (place, category_id) place, category_id AS category, custom_dismiss, definition
      FROM registration
      ORDER BY place, category_id, registered_at DESC, device_id DESC, id DESC
    ), registered AS (
      SELECT place, category_id AS category, jsonb_agg(nullif(app_version, '') ORDER BY nullif(app_version, '') NULLS LAST) AS app_versions,
        min(first_at) AS first_at, max(registered_at) AS last_at
      FROM registration
      GROUP BY 1, 2
    ), taken AS MATERIALIZED (
      %1$s
    ), button AS (
      SELECT n.place, n.category, count(*) AS buttons, count(t.action_id) AS used,
        jsonb_agg(b.action->>'id' ORDER BY b.ordinal) FILTER (WHERE t.action_id IS NULL) AS unused
      FROM newest n
      CROSS JOIN LATERAL jsonb_array_elements(n.definition->'actions') WITH ORDINALITY AS b (action, ordinal)
      LEFT JOIN taken t ON t.place = n.place AND t.category = n.category AND t.action_id = b.action->>'id'
      GROUP BY 1, 2
    ), stray AS (
      SELECT t.place, t.category, jsonb_agg(t.action_id ORDER BY t.action_id) AS actions
      FROM taken t
      WHERE NOT EXISTS (
        SELECT FROM registration r
        CROSS JOIN LATERAL jsonb_array_elements(r.definition->'actions') AS b (action)
        WHERE r.place = t.place AND r.category_id = t.category AND b.action->>'id' = t.action_id)
      GROUP BY 1, 2
    )
    SELECT $5[place], nullif(category, ''),
      CASE WHEN category = '' THEN NULL WHEN w.app_versions IS NULL THEN 'unregistered' WHEN w.notifications > 0 THEN 'used' ELSE 'dead' END,
      w.app_versions, w.first_at, w.last_at, n.custom_dismiss,
      CASE WHEN n.definition IS NOT NULL THEN coalesce(b.buttons, 0) END,
      CASE WHEN n.definition IS NOT NULL THEN coalesce(b.used, 0) END,
      CASE WHEN n.definition IS NOT NULL THEN coalesce(b.unused, '[]') END,
      coalesce(s.actions, '[]'), coalesce(w.notifications, 0), coalesce(w.reached, 0), coalesce(w.responded, 0)
    FROM (
      SELECT place, category, r.app_versions, r.first_at, r.last_at, k.notifications, k.reached, k.responded
      FROM registered r
      FULL JOIN report.category_counts($1, $2, $4, $6) k USING (place, category)
    ) w
    LEFT JOIN newest n USING (place, category)
    LEFT JOIN button b USING (place, category)
    LEFT JOIN stray s USING (place, category)
    ORDER BY place, nullif(category, '') NULLS LAST
  $query$, taken, on_category)
  USING app_number, starts, period.from_at, period.to_at, labels, filters, ends;
END $$;
