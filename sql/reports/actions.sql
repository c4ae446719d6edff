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
-- column: action | text | | The button's id; `default` for a tap on the notification, from which a button with that id cannot be
--   told, `dismiss` for a dismissal
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
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET enable_sort = off SET work_mem = '64MB' AS $$
-- The planner cannot know how many the groups are.
DECLARE
  app_number integer := reporting.app_id(app);
  period     record;
  asked      record := reporting.window_buckets("window");
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.divided_period("interval", "from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  PERFORM reporting.filters(filters, reporting.notification_dimensions(app));
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH part AS MATERIALIZED (
      SELECT slot, category COLLATE "C" AS category, action COLLATE "C" AS action, is_dismissal, offered, successes, notifications,
        response_only, presses, timed, latencies, latency_notifications
      FROM reporting.actions_counts($1, $2, $3, $4, $5, $6)
    ), button AS MATERIALIZED (
      SELECT DISTINCT ON (b.category, b.action) b.*, false AS is_dismissal   -- a button may be named `dismiss` as well
      FROM reporting.actions_button_counts($1, $6) b
      ORDER BY b.category, b.action, b.registered_at DESC, b.id DESC
    ), whole AS MATERIALIZED (
      SELECT slot, category, action, is_dismissal, CASE WHEN is_dismissal THEN 'dismissal' ELSE 'action' END AS kind, offered,
        CASE WHEN offered IS NOT NULL THEN coalesce(successes, 0) END AS taken_in_window,
        CASE WHEN NOT is_dismissal OR offered > 0 THEN coalesce(notifications, 0) ELSE notifications END AS notifications,
        coalesce(response_only, 0) AS response_only,
        CASE WHEN NOT is_dismissal OR offered > 0 THEN coalesce(presses, 0) ELSE presses END AS presses,
        ceil(0.5 * timed::double precision)::numeric AS p50, ceil(0.9::double precision * timed::double precision)::numeric AS p90   -- ranks
      FROM (
        SELECT slot, category, action, is_dismissal, sum(offered) AS offered, sum(successes) AS successes,
          sum(notifications) AS notifications, sum(response_only) AS response_only, sum(presses) AS presses, sum(timed) AS timed
        FROM (
          SELECT slot, category, action, is_dismissal, offered, successes, notifications, response_only, presses, timed FROM part
          UNION ALL
          SELECT 1, category, action, false, 0, NULL, NULL, NULL, NULL, NULL FROM button WHERE $10
        ) one
        GROUP BY 1, 2, 3, 4
      ) summed
    ), took AS MATERIALIZED (   -- the latency buckets that the percentiles lie in
      SELECT slot, category, action, is_dismissal, min(latency) FILTER (WHERE upto >= p50) AS p50, min(latency) FILTER (WHERE upto >= p90) AS p90
      FROM (
        SELECT slot, category, action, is_dismissal, l.latency, w.p50, w.p90,
          sum(l.notifications) OVER (PARTITION BY slot, category, action, is_dismissal ORDER BY l.latency) AS upto
        FROM part
        JOIN whole w USING (slot, category, action, is_dismissal)
        CROSS JOIN LATERAL unnest(part.latencies, part.latency_notifications) AS l (latency, notifications)
        WHERE part.latencies IS NOT NULL
      ) histogram
      GROUP BY 1, 2, 3, 4
    ), %s, own AS (
      SELECT w.*, k.key, t.taken
      FROM whole w
      JOIN key k USING (category, action, kind)
      LEFT JOIN (SELECT slot, category, sum(notifications) AS taken FROM part WHERE notifications > 0 GROUP BY 1, 2) t USING (slot, category)
      WHERE k.key <= $8
    ), folded AS (
      SELECT slot, key, category, action, is_dismissal, offered, taken_in_window, notifications, response_only, presses,
        notifications / nullif(taken, 0)::double precision AS share
      FROM own
      UNION ALL
      SELECT slot, k.key, NULL, NULL, NULL, sum(offered), sum(taken_in_window), sum(notifications), sum(response_only),
        sum(presses), NULL
      FROM whole
      JOIN key k USING (category, action, kind)
      WHERE k.key > $8
      GROUP BY slot, k.key
    )
    SELECT $7[slot], nullif(category, ''), action, key > $8, offered::bigint, taken_in_window::bigint,
      notifications::bigint, response_only::bigint, presses::bigint,
      taken_in_window / nullif(offered, 0)::double precision, w.low, w.high, share,
      CASE WHEN key > $8 OR is_dismissal OR action = 'default' THEN NULL ELSE b.action IS NOT NULL END,
      foreground, authentication_required, destructive, text_input, b.place,
      reporting.latency_seconds(p50, $9), reporting.latency_seconds(p90, $9), (SELECT count(*) FROM key)
    FROM folded
    LEFT JOIN button b USING (category, action, is_dismissal)
    LEFT JOIN took USING (slot, category, action, is_dismissal)
    CROSS JOIN LATERAL reporting.wilson(taken_in_window::bigint, nullif(offered, 0)::bigint) w
    ORDER BY slot, key > $8, nullif(category, '') NULLS LAST, is_dismissal, action <> 'default', place NULLS LAST, action
  $query$, reporting.keys('whole', '{category,action,kind}', 'coalesce(offered, notifications)', '$8'))
  USING app_number, period.starts, period.to_at, asked.length, reporting.window_slot("window"), filters, period.labels, "limit",
    asked.bounds, "interval" = 'none';
END $$;
