-- Notifications that offered actions, and actions taken, by category: what the report actions counts.
--
-- `slot` is the number of the interval; intervals begin at `starts` and end at `to_at`. `category` is '' where there was none. A row
-- with `offered` counts those that offered the action, and nothing else; an action that no version registered has none. A row
-- without it counts what was taken: `successes` are those of `offered` on which it was taken within `late`, the time to respond;
-- `timed` those in the latency buckets `latencies`, with as many in each as `latency_notifications` says. `window_number` is the
-- number of `late` among the windows that the rollups answer, null if they do not.
CREATE OR REPLACE FUNCTION reporting.actions_counts(
  app_number integer, starts timestamptz[], to_at timestamptz, late interval, window_number integer, filters jsonb)
RETURNS TABLE (
  slot integer, category text, action text, is_dismissal boolean, offered bigint, successes bigint, notifications bigint,
  response_only bigint, presses bigint, timed bigint, latencies integer[], latency_notifications bigint[])
LANGUAGE plpgsql STABLE SET jit = off SET enable_seqscan = off SET enable_nestloop = off SET enable_sort = off
  SET work_mem = '64MB' AS $$
-- Without sequential scans, as the planner cannot know how little the edges of the range are, nor how many the groups are.
DECLARE
  conditions text := reporting.row_filter(filters, reporting.notification_dimensions(app_number), '$11');
  asked      record := reporting.window_buckets(late);
  is_counted boolean;   -- whether rollups answer what was taken
  counted    text := '';   -- what they say of it
  timed      text := '';   -- and of how long that took
  grouped    text;   -- notifications by interval, category and app version
  taken      text;   -- the actions taken on them, and dismissals, with how many are alike
  ranges     record;   -- those that rollups answer, and the edges
BEGIN
  ranges := reporting.ranges(starts || to_at, '{day}');
  is_counted := filters - 'category' = '{}' AND window_number IS NOT NULL AND to_regclass('projection.cohort_action_count') IS NOT NULL;
  IF filters - 'category' - 'app_version' = '{}' AND to_regclass('projection.cohort_action') IS NOT NULL THEN
    grouped := format($query$
      SELECT slot, category, app_version, sum(reached)::bigint AS reached, sum(dismiss_observable)::bigint AS dismiss_observable
      FROM (
        SELECT width_bucket(e.bucket, $2) AS slot, e.category, e.value AS app_version, sum(e.reached) AS reached,
          sum(e.dismiss_observable) AS dismiss_observable
        FROM unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) AS r (grain, from_at, to_at)
        CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
          SELECT * FROM projection.engagement e
          WHERE e.app_id = $1 AND e.dimension = 'app_version' AND e.grain = 'day' AND e.bucket >= r.from_at AND e.bucket < r.to_at
          OFFSET 0
        ) e
        WHERE r.grain = 'day' AND reporting.matches(e.category, $11, 'category')
          AND reporting.matches(e.value, $11, 'app_version')
        GROUP BY 1, 2, 3
        UNION ALL
        SELECT reporting.slot(n.cohort_at, $2), coalesce(n.category, ''), coalesce(n.app_version, ''),
          count(*) FILTER (WHERE reached_seen OR reached_assumed), count(*) FILTER (WHERE dismiss_observable)
        FROM unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) AS r (grain, from_at, to_at)
        %2$s
        WHERE r.grain = 'none' AND %1$s
        GROUP BY 1, 2, 3
      ) part
      GROUP BY 1, 2, 3$query$, conditions, reporting.rows_of_ranges(true));
    taken := format($query$
      SELECT reporting.slot(n.cohort_at, $2) AS slot, coalesce(n.category, '') AS category,
        coalesce(n.app_version, '') AS app_version,
        n.action_id AS action, n.is_dismissal, n.counts AS reached, n.response_only, 1 AS notifications, n.presses,
        n.first_at - coalesce(n.shown_at, n.cohort_at) <= $7 AS within, n.shown_at, n.first_at
      FROM unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) AS r (grain, from_at, to_at)
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_action n
        WHERE n.app_id = $1 AND n.cohort_at >= r.from_at AND n.cohort_at < r.to_at
        OFFSET 0
      ) n
      WHERE (r.grain = 'none' OR NOT $12) AND %s$query$, conditions);
  ELSE
    grouped := format($query$
      SELECT reporting.slot(n.cohort_at, $2) AS slot, coalesce(n.category, '') AS category,
        coalesce(n.app_version, '') AS app_version,
        count(*) FILTER (WHERE reached_seen OR reached_assumed) AS reached,
        count(*) FILTER (WHERE dismiss_observable) AS dismiss_observable
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at >= $2[1] AND n.cohort_at < $3 AND %s
      GROUP BY 1, 2, 3$query$, conditions);
    taken := format($query$
      SELECT reporting.slot(n.cohort_at, $2) AS slot, coalesce(n.category, '') AS category,
        coalesce(n.app_version, '') AS app_version,
        a.action_id AS action, false AS is_dismissal, reached_seen OR reached_assumed AS reached, response_only, 1 AS notifications,
        CASE WHEN a.callbacks = 0 OR a.in_extension > 0 THEN a.in_extension ELSE 1 END AS presses,
        a.first_at - coalesce(n.shown_at, n.cohort_at) <= $7 AS within, n.shown_at, a.first_at
      FROM projection.notification n
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index lookup each
        SELECT * FROM projection.notification_action a
        WHERE (a.app_id, a.device_id, a.notification_id, a.occurrence) = ($1, n.device_id, n.notification_id, n.occurrence)
        OFFSET 0
      ) a
      WHERE n.app_id = $1 AND n.cohort_at >= $2[1] AND n.cohort_at < $3 AND n.responded AND %1$s
      UNION ALL
      SELECT reporting.slot(n.cohort_at, $2), coalesce(n.category, ''), coalesce(n.app_version, ''), 'dismiss', true,
        dismiss_observable, response_only, 1, 1,
        n.dismissed_at - coalesce(n.shown_at, n.cohort_at) <= $7, n.shown_at, n.dismissed_at
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at >= $2[1] AND n.cohort_at < $3 AND n.dismissed AND %1$s$query$, conditions);
  END IF;

  IF is_counted THEN
    counted := $query$
      UNION ALL
      SELECT width_bucket(c.bucket, $2), c.category, c.app_version, c.action_id, c.is_dismissal, c.counts, c.response_only,
        sum(c.notifications)::bigint, sum(c.presses)::bigint, c.within BETWEEN 1 AND $8, NULL
      FROM unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) AS r (grain, from_at, to_at)
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_action_count c WHERE c.app_id = $1 AND c.bucket >= r.from_at AND c.bucket < r.to_at OFFSET 0
      ) c
      WHERE r.grain = 'day' AND reporting.matches(c.category, $11, 'category')
      GROUP BY 1, 2, 3, 4, 5, 6, 7, 10$query$;
    timed := $query$
      UNION ALL
      SELECT width_bucket(c.bucket, $2), c.category, c.action_id, c.is_dismissal, c.latency, c.notifications
      FROM unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) AS r (grain, from_at, to_at)
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_action_latency c WHERE c.app_id = $1 AND c.bucket >= r.from_at AND c.bucket < r.to_at OFFSET 0
      ) c
      WHERE r.grain = 'day' AND c.latency < $9 AND reporting.matches(c.category, $11, 'category')$query$;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH grouped AS MATERIALIZED (
      %1$s
    ), version AS MATERIALIZED (   -- the registration that holds for each category and app version: null is any
      SELECT g.category, g.app_version, c.app_version AS registered_version
      FROM (SELECT DISTINCT category, app_version FROM grouped) g
      LEFT JOIN projection.category c
        ON (c.app_id, c.category_id, c.app_version) = ($1, g.category, g.app_version) AND g.app_version <> ''
    ), button AS MATERIALIZED (
      SELECT b.category, b.action FROM reporting.actions_button_counts($1, $11) b
    ), offering AS MATERIALIZED (   -- which versions' notifications had which button
      SELECT v.category, v.app_version, a.action_id AS action
      FROM version v
      JOIN projection.category_action a ON a.app_id = $1 AND (a.category_id, a.app_version) = (v.category, v.registered_version)
        AND a.action_id <> 'default'
      UNION
      SELECT v.category, v.app_version, b.action FROM version v JOIN button b USING (category) WHERE v.registered_version IS NULL
    ), pressed AS MATERIALIZED (
      SELECT slot, category, app_version, action, is_dismissal, reached, response_only, notifications, presses, within,
        CASE WHEN within AND NOT response_only AND shown_at IS NOT NULL
          THEN projection.latency_bucket(shown_at, first_at, $10) END AS latency
      FROM (
        %2$s
      ) one
    ), taken AS (
      SELECT slot, category, app_version, action, is_dismissal, reached, response_only, notifications, presses, within, latency FROM pressed
      %3$s
    ), used AS MATERIALIZED (
      SELECT slot, category, action, is_dismissal, coalesce(sum(notifications) FILTER (WHERE NOT response_only), 0) AS notifications,
        coalesce(sum(notifications) FILTER (WHERE response_only), 0) AS response_only,
        coalesce(sum(presses) FILTER (WHERE NOT response_only), 0) AS presses,
        coalesce(sum(notifications) FILTER (
          WHERE within AND reached AND (action = 'default' OR is_dismissal OR o.category IS NOT NULL)), 0) AS successes
      FROM taken t
      LEFT JOIN offering o USING (category, app_version, action)
      GROUP BY 1, 2, 3, 4
    ), took AS MATERIALIZED (
      SELECT slot, category, action, is_dismissal, sum(notifications) AS timed, array_agg(latency) AS latencies,
        array_agg(notifications) AS latency_notifications
      FROM (
        SELECT slot, category, action, is_dismissal, latency, sum(notifications)::bigint AS notifications
        FROM (
          SELECT slot, category, action, is_dismissal, latency, 1 AS notifications FROM pressed WHERE latency IS NOT NULL
          %4$s
        ) one
        GROUP BY 1, 2, 3, 4, 5
      ) histogram
      GROUP BY 1, 2, 3, 4
    )
    SELECT slot, category, action, is_dismissal, sum(offered)::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint,
      NULL::integer[], NULL::bigint[]
    FROM (
      SELECT slot, category, 'default' AS action, false AS is_dismissal, reached AS offered FROM grouped
      UNION ALL
      SELECT slot, category, 'dismiss', true, dismiss_observable FROM grouped
      UNION ALL
      SELECT slot, category, action, false, reached FROM grouped JOIN offering USING (category, app_version)
      UNION ALL
      SELECT slot, category, action, false, 0 FROM button JOIN (SELECT DISTINCT slot, category FROM grouped) g USING (category)
    ) possible
    GROUP BY 1, 2, 3, 4
    UNION ALL
    SELECT slot, category, action, is_dismissal, NULL, successes::bigint, notifications::bigint, response_only::bigint, presses::bigint,
      timed::bigint, latencies, latency_notifications
    FROM used
    LEFT JOIN took USING (slot, category, action, is_dismissal)
  $query$, grouped, taken, counted, timed)
  USING app_number, starts, to_at, ranges.grains, ranges.froms, ranges.tos, asked.length, window_number,
    array_position(asked.bounds, asked.microseconds), asked.bounds, filters, is_counted;
END $$;
