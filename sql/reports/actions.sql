-- report: actions
-- purpose: Which buttons people use, by category: one row per category and action, including taps on the notification itself
--   (`default`) and dismissals (`dismiss`), and per interval if requested. Registered buttons that nobody pressed have 0; with
--   interval, only in intervals where their category had a notification. A row `other` sums everything beyond `limit`.
-- reads: notification, engagement, cohort_event, category
-- by rows: presses on days of UTC that an interval covers in part, with a filter by app_version, or with another window than
--   PT1H, PT6H, P1D, P3D, P7D and P30D; notifications with filters other than category and app_version
--
-- parameter: interval
-- parameter: from
-- parameter: to
-- parameter: tz
-- parameter: window | Time to respond: rates and percentiles count responses within it
-- parameter: mature
-- parameter: limit | How many actions of categories have rows of their own: those most offered over the whole range (most used,
--   if never registered); all others share one row, `other`
-- filters: $notification_dimensions
-- table: interval_start, category, action, offered, taken_in_window, rate, notifications, share, registered, presses,
--   response_p50, rate_low, rate_high, foreground, destructive, place, response_p90
-- in window: taken_in_window
-- growing: notifications, presses
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: category | text | | The category that the person saw; null if the notification carried none
-- column: action | text | | The button's id; `default` for a tap on the notification, `dismiss` for a dismissal
-- column: other | boolean | | True in the row of all actions beyond `limit`; its category and action are null
-- column: offered | bigint | notifications | Reached notifications that offered it: their category has the button, as
--   registered by the device's app version, else by any; for `default` all, for `dismiss` those where iOS reports dismissals;
--   null for an action that was never registered
-- column: taken_in_window | bigint | notifications | Of `offered`, notifications on which it was taken within window; null
--   for an action that was never registered
-- column: notifications | bigint | notifications | Notifications on which it was taken, at any time, except those in
--   `response_only`; null for `dismiss` if iOS reports none
-- column: response_only | bigint | notifications | Notifications on which it was taken that are known only by a response or
--   dismissal: excluded from every other column
-- column: presses | bigint | events | Times it was taken on `notifications`, without duplicate callbacks; null for `dismiss`
--   if iOS reports none
-- column: rate | double precision | fraction | `taken_in_window` ÷ `offered`
-- column: rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval, which assumes independent
--   notifications
-- column: rate_high | double precision | fraction | Upper bound of the 95 % Wilson score interval, which assumes independent
--   notifications
-- column: share | double precision | fraction | Share of the `notifications` of all actions of the category; null in `other`
-- column: registered | boolean | | Whether any app version registered the button; null for `default` and `dismiss`
-- column: foreground | boolean | | Opens the app (UNNotificationActionOptions.foreground); null if not registered
-- column: authentication_required | boolean | | Needs the device unlocked; null if not registered
-- column: destructive | boolean | | Shown as destructive; null if not registered
-- column: text_input | boolean | | Accepts text; null if not registered
-- column: place | integer | | The button's position in its category, from 1; null if not registered
-- column: response_p50 | double precision | seconds | Median time from shown_at until it was first taken, of those within
--   window; 0 up to 0.1 s, else within 5 %
-- column: response_p90 | double precision | seconds | 90th percentile of the same
CREATE OR REPLACE FUNCTION report.actions(
  app text, "interval" text DEFAULT 'none',
  "from" text DEFAULT NULL, "to" text DEFAULT NULL, tz text DEFAULT 'UTC',
  "window" interval DEFAULT '72 hours', mature boolean DEFAULT false, filters jsonb DEFAULT '{}', "limit" integer DEFAULT 1000, as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, category text, action text, other boolean, offered bigint, taken_in_window bigint,
  notifications bigint, response_only bigint, presses bigint,
  rate double precision, rate_low double precision, rate_high double precision, share double precision,
  registered boolean, foreground boolean, authentication_required boolean, destructive boolean, text_input boolean,
  place integer, response_p50 double precision, response_p90 double precision, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_seqscan = off SET enable_nestloop = off SET enable_sort = off
  SET work_mem = '64MB' AS $$
-- Without sequential scans, as the planner cannot know how little the edges of the range are, nor how many the groups are.
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app);
  app_number integer := reporting.app_id(app);
  period     record;
  asked      record := reporting.window_buckets("window");
  window_number integer := reporting.window_slot("window");   -- where rollups answer it
  conditions text;
  is_counted boolean;   -- whether rollups answer what was taken
  counted    text := '';   -- what they say of it
  timed      text := '';   -- and of how long that took
  grouped    text;   -- notifications by interval, category and app version
  taken      text;   -- the actions taken on them, and dismissals, with how many are alike
  ranges     record;   -- those that rollups answer, and the edges
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.divided_period("interval", "from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  conditions := reporting.row_filter(filters, accepted, '$15');
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  ranges := reporting.ranges(period.starts || period.to_at, '{day}');
  is_counted := filters - 'category' = '{}' AND window_number IS NOT NULL AND to_regclass('projection.cohort_action_count') IS NOT NULL;
  IF filters - 'category' - 'app_version' = '{}' AND to_regclass('projection.cohort_action') IS NOT NULL THEN
    grouped := format($query$
      SELECT slot, category, app_version, sum(reached)::bigint AS reached, sum(dismiss_observable)::bigint AS dismiss_observable
      FROM (
        SELECT width_bucket(e.bucket, $2) AS slot, e.category, e.value AS app_version, sum(e.reached) AS reached,
          sum(e.dismiss_observable) AS dismiss_observable
        FROM unnest($8::text[], $9::timestamptz[], $10::timestamptz[]) AS r (grain, from_at, to_at)
        CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
          SELECT * FROM projection.engagement e
          WHERE e.app_id = $1 AND e.dimension = 'app_version' AND e.grain = 'day' AND e.bucket >= r.from_at AND e.bucket < r.to_at
          OFFSET 0
        ) e
        WHERE r.grain = 'day' AND reporting.matches(e.category, $15, 'category')
          AND reporting.matches(e.value, $15, 'app_version')
        GROUP BY 1, 2, 3
        UNION ALL
        SELECT reporting.slot(n.cohort_at, $2), coalesce(n.category, ''), coalesce(n.app_version, ''),
          count(*) FILTER (WHERE reached_seen OR reached_assumed), count(*) FILTER (WHERE dismiss_observable)
        FROM unnest($8::text[], $9::timestamptz[], $10::timestamptz[]) AS r (grain, from_at, to_at)
        %2$s
        WHERE r.grain = 'none' AND %1$s
        GROUP BY 1, 2, 3
      ) part
      GROUP BY 1, 2, 3$query$, conditions, reporting.rows_of_ranges(true));
    taken := format($query$
      SELECT reporting.slot(n.cohort_at, $2) AS slot, coalesce(n.category, '') AS category,
        coalesce(n.app_version, '') AS app_version,
        n.action_id AS action, n.is_dismissal, n.counts AS reached, n.response_only, 1 AS notifications, n.presses,
        n.first_at - coalesce(n.shown_at, n.cohort_at) <= $6 AS within, n.shown_at, n.first_at
      FROM unnest($8::text[], $9::timestamptz[], $10::timestamptz[]) AS r (grain, from_at, to_at)
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_action n
        WHERE n.app_id = $1 AND n.cohort_at >= r.from_at AND n.cohort_at < r.to_at
        OFFSET 0
      ) n
      WHERE (r.grain = 'none' OR NOT $16) AND %s$query$, conditions);
  ELSE
    grouped := format($query$
      SELECT reporting.slot(n.cohort_at, $2) AS slot, coalesce(n.category, '') AS category,
        coalesce(n.app_version, '') AS app_version,
        count(*) FILTER (WHERE reached_seen OR reached_assumed) AS reached,
        count(*) FILTER (WHERE dismiss_observable) AS dismiss_observable
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at >= $3 AND n.cohort_at < $4 AND %s
      GROUP BY 1, 2, 3$query$, conditions);
    taken := format($query$
      SELECT reporting.slot(n.cohort_at, $2) AS slot, coalesce(n.category, '') AS category,
        coalesce(n.app_version, '') AS app_version,
        a.action_id AS action, false AS is_dismissal, reached_seen OR reached_assumed AS reached, response_only, 1 AS notifications,
        CASE WHEN a.callbacks = 0 OR a.in_extension > 0 THEN a.in_extension ELSE 1 END AS presses,
        a.first_at - coalesce(n.shown_at, n.cohort_at) <= $6 AS within, n.shown_at, a.first_at
      FROM projection.notification n
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index lookup each
        SELECT * FROM projection.notification_action a
        WHERE (a.app_id, a.device_id, a.notification_id, a.occurrence) = ($1, n.device_id, n.notification_id, n.occurrence)
        OFFSET 0
      ) a
      WHERE n.app_id = $1 AND n.cohort_at >= $3 AND n.cohort_at < $4 AND n.responded AND %1$s
      UNION ALL
      SELECT reporting.slot(n.cohort_at, $2), coalesce(n.category, ''), coalesce(n.app_version, ''), 'dismiss', true,
        dismiss_observable, response_only, 1, 1,
        n.dismissed_at - coalesce(n.shown_at, n.cohort_at) <= $6, n.shown_at, n.dismissed_at
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at >= $3 AND n.cohort_at < $4 AND n.dismissed AND %1$s$query$, conditions);
  END IF;

  IF is_counted THEN
    counted := $query$
      UNION ALL
      SELECT width_bucket(c.bucket, $2), c.category, c.app_version, c.action_id, c.is_dismissal, c.counts, c.response_only,
        sum(c.notifications)::bigint, sum(c.presses)::bigint, c.within BETWEEN 1 AND $12, NULL
      FROM unnest($8::text[], $9::timestamptz[], $10::timestamptz[]) AS r (grain, from_at, to_at)
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_action_count c WHERE c.app_id = $1 AND c.bucket >= r.from_at AND c.bucket < r.to_at OFFSET 0
      ) c
      WHERE r.grain = 'day' AND reporting.matches(c.category, $15, 'category')
      GROUP BY 1, 2, 3, 4, 5, 6, 7, 10$query$;
    timed := $query$
      UNION ALL
      SELECT width_bucket(c.bucket, $2), c.category, c.action_id, c.is_dismissal, c.latency, c.notifications
      FROM unnest($8::text[], $9::timestamptz[], $10::timestamptz[]) AS r (grain, from_at, to_at)
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_action_latency c WHERE c.app_id = $1 AND c.bucket >= r.from_at AND c.bucket < r.to_at OFFSET 0
      ) c
      WHERE r.grain = 'day' AND c.latency < $13 AND reporting.matches(c.category, $15, 'category')$query$;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH grouped AS MATERIALIZED (
      %1$s
    ), version AS MATERIALIZED (   -- the registration that holds for each category and app version: null is any
      SELECT g.category, g.app_version, c.app_version AS registered_version
      FROM (SELECT DISTINCT category, app_version FROM grouped) g
      LEFT JOIN projection.category c
        ON (c.app_id, c.category_id, c.app_version) = ($1, g.category, g.app_version) AND g.app_version <> ''
    ), button AS MATERIALIZED (   -- as the newest registration that has it
      SELECT DISTINCT ON (a.category_id, a.action_id) a.category_id AS category, a.action_id AS action, a.place,
        a.text_input, a.foreground, a.authentication_required, a.destructive
      FROM projection.category_action a
      JOIN projection.category c USING (app_id, category_id, app_version)
      WHERE app_id = $1
      ORDER BY a.category_id, a.action_id, c.registered_at DESC, c.device_id DESC, c.id DESC, a.place
    ), offering AS MATERIALIZED (   -- which versions' notifications had which button
      SELECT v.category, v.app_version, a.action_id AS action
      FROM version v
      JOIN projection.category_action a ON a.app_id = $1 AND (a.category_id, a.app_version) = (v.category, v.registered_version)
      UNION
      SELECT v.category, v.app_version, b.action FROM version v JOIN button b USING (category) WHERE v.registered_version IS NULL
    ), pressed AS MATERIALIZED (
      SELECT slot, category, app_version, action, is_dismissal, reached, response_only, notifications, presses, within,
        CASE WHEN within AND NOT response_only AND shown_at IS NOT NULL THEN reporting.latency(shown_at, first_at, $14) END AS latency
      FROM (
        %2$s
      ) one
    ), taken AS (
      SELECT slot, category, app_version, action, is_dismissal, reached, response_only, notifications, presses, within, latency FROM pressed
      %4$s
    ), used AS MATERIALIZED (
      SELECT slot, category, action, is_dismissal, coalesce(sum(notifications) FILTER (WHERE NOT response_only), 0) AS notifications,
        coalesce(sum(notifications) FILTER (WHERE response_only), 0) AS response_only,
        coalesce(sum(presses) FILTER (WHERE NOT response_only), 0) AS presses,
        coalesce(sum(notifications) FILTER (
          WHERE within AND reached AND (action = 'default' OR is_dismissal OR o.category IS NOT NULL)), 0) AS successes
      FROM taken t
      LEFT JOIN offering o USING (category, app_version, action)
      GROUP BY 1, 2, 3, 4
    ), took AS MATERIALIZED (   -- the latency buckets that the percentiles lie in
      SELECT slot, category, action, is_dismissal, min(latency) FILTER (WHERE upto >= ceil(0.5 * total::double precision)) AS p50,
        min(latency) FILTER (WHERE upto >= ceil(0.9::double precision * total::double precision)) AS p90
      FROM (
        SELECT slot, category, action, is_dismissal, latency,
          sum(sum(notifications)) OVER (PARTITION BY slot, category, action, is_dismissal ORDER BY latency) AS upto,
          sum(sum(notifications)) OVER (PARTITION BY slot, category, action, is_dismissal) AS total
        FROM (
          SELECT slot, category, action, is_dismissal, latency, 1 AS notifications FROM pressed WHERE latency IS NOT NULL
          %5$s
        ) one
        GROUP BY 1, 2, 3, 4, 5
      ) histogram
      GROUP BY 1, 2, 3, 4
    ), possible AS (
      SELECT slot, category, action, is_dismissal, sum(offered) AS offered
      FROM (
        SELECT slot, category, 'default' AS action, false AS is_dismissal, reached AS offered FROM grouped
        UNION ALL
        SELECT slot, category, 'dismiss', true, dismiss_observable FROM grouped
        UNION ALL
        SELECT slot, category, action, false, reached FROM grouped JOIN offering USING (category, app_version)
        UNION ALL
        SELECT slot, category, action, false, 0 FROM button JOIN (SELECT DISTINCT slot, category FROM grouped) g USING (category)
        UNION ALL
        SELECT 1, category, action, false, 0 FROM button WHERE $5 AND reporting.matches(category, $15, 'category')
        UNION ALL
        SELECT slot, category, action, is_dismissal, NULL FROM used
      ) one
      GROUP BY 1, 2, 3, 4
    ), whole AS MATERIALIZED (
      SELECT slot, category, action, is_dismissal, CASE WHEN is_dismissal THEN 'dismissal' ELSE 'action' END AS kind, offered,
        CASE WHEN offered IS NOT NULL THEN coalesce(successes, 0) END AS taken_in_window,
        CASE WHEN NOT is_dismissal OR offered > 0 THEN coalesce(notifications, 0) ELSE notifications END AS notifications,
        coalesce(response_only, 0) AS response_only,
        CASE WHEN NOT is_dismissal OR offered > 0 THEN coalesce(presses, 0) ELSE presses END AS presses
      FROM possible
      LEFT JOIN used USING (slot, category, action, is_dismissal)
    ), %3$s, own AS (
      SELECT w.*, k.key, t.taken
      FROM whole w
      JOIN key k USING (category, action, kind)
      LEFT JOIN (SELECT slot, category, sum(notifications) AS taken FROM used GROUP BY 1, 2) t USING (slot, category)
      WHERE k.key <= $11
    ), folded AS (
      SELECT slot, key, category, action, is_dismissal, offered, taken_in_window, notifications, response_only, presses,
        notifications / nullif(taken, 0)::double precision AS share
      FROM own
      UNION ALL
      SELECT slot, k.key, NULL, NULL, NULL, sum(offered), sum(taken_in_window), sum(notifications), sum(response_only),
        sum(presses), NULL
      FROM whole
      JOIN key k USING (category, action, kind)
      WHERE k.key > $11
      GROUP BY slot, k.key
    )
    SELECT $7[slot], nullif(category, ''), action, key > $11, offered::bigint, taken_in_window::bigint,
      notifications::bigint, response_only::bigint, presses::bigint,
      taken_in_window / nullif(offered, 0)::double precision, w.low, w.high, share,
      CASE WHEN key > $11 OR is_dismissal OR action = 'default' THEN NULL ELSE b.action IS NOT NULL END,
      foreground, authentication_required, destructive, text_input, b.place,
      reporting.latency_seconds(p50, $14), reporting.latency_seconds(p90, $14), (SELECT count(*) FROM key)
    FROM folded
    LEFT JOIN button b USING (category, action)
    LEFT JOIN took USING (slot, category, action, is_dismissal)
    CROSS JOIN LATERAL reporting.wilson(taken_in_window::bigint, nullif(offered, 0)::bigint) w
    ORDER BY slot, key > $11, nullif(category, '') NULLS LAST, is_dismissal, action <> 'default', place NULLS LAST, action
  $query$, grouped, taken, reporting.keys('whole', '{category,action,kind}', 'coalesce(offered, notifications)', '$11'),
    counted, timed)
  USING app_number, period.starts, period.from_at, period.to_at, "interval" = 'none', asked.length, period.labels, ranges.grains,
    ranges.froms, ranges.tos, "limit", window_number, array_position(asked.bounds, asked.microseconds), asked.bounds, filters, is_counted;
END $$;
