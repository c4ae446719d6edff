-- report: engagement
-- purpose: The stages of notifications, and responses: one row per value of the dimensions in `by`, and per interval if
--   requested. A group or an interval without any notification has no row. A row `other` sums everything beyond `limit`.
-- reads: notification, engagement, presence
-- by rows: `devices` and `engaged_devices`, unless by category, without other filters, or not counted; notifications with
--   `source=notification`, with settings in force, with the app's own dimensions, or with several dimensions besides category in
--   `by` and filters
--
-- parameter: by
-- parameter: interval
-- parameter: from
-- parameter: to
-- parameter: tz
-- parameter: window | duration | P3D | PT1S to P400D; exact: PT1H, PT6H, P1D, P3D, P7D, P30D; others to the nearest bound
--   within 5 %, and flagged | Time to respond: rates and percentiles count responses within it
-- parameter: mature
-- parameter: per | choice | reached | reached, delivered, presented | Denominator of rates
-- parameter: limit | How many groups have rows of their own: those with the most notifications reached over the whole range, by
--   one of the app's own dimensions those with the most requested; all others share one row, `other`
-- parameter: count_devices | flag | true | true, false | Whether `devices` and `engaged_devices` are counted: beyond categories that
--   reads notifications one by one
-- parameter: source | choice | rollup | rollup, notification | The source of whole buckets; both give the same answer, and
--   `notification` is for checking it
-- filters: $notification_dimensions
-- table: interval_start, by_1, by_2, reached, responded_in_window, engagement_rate, open_rate, action_rate, reply_rate,
--   dismiss_rate, response_p50, engaged_devices, devices, requested, failed, delivered, presented, dismissed
-- in window: responded_in_window, opened_in_window, acted_in_window, replied_in_window, app_opened_in_window,
--   dismissed_in_window
-- growing: responded, opened, acted, replied, app_opened, dismissed, engaged_devices
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: by_1 | text | | The first dimension; null if the notification carried none
-- column: by_2 | text | | The second dimension; null if the notification carried none
-- column: other | boolean | | True in the row of all groups beyond `limit`; its dimensions are null
-- column: requested | bigint | notifications | Requested without error, by the app or a provider
-- column: failed | bigint | notifications | Refused by the system or by the provider, and never seen later
-- column: reached | bigint | notifications | Alerting, due, not failed, withdrawn, suppressed or silent; and seen on the
--   device, or requested while its settings did not say denied: the honest denominator
-- column: reached_seen | bigint | notifications | Reached, with a delivery or presentation event
-- column: reached_assumed | bigint | notifications | Reached, with a request alone: iOS reports few deliveries
-- column: delivered | bigint | notifications | With a delivery or presentation event, a response or a dismissal
-- column: presented | bigint | notifications | Shown by an event of its own, or proved by a response or a dismissal
-- column: suppressed | bigint | notifications | Arrived, and deliberately not shown or heard
-- column: silent | bigint | notifications | Arrived, with badge or sound alone
-- column: responded | bigint | notifications | Acted on, at any time, including those of `response_only`; a dismissal is not
--   a response
-- column: opened | bigint | notifications | The first action was a tap on the notification itself
-- column: acted | bigint | notifications | The first action was another button
-- column: replied | bigint | notifications | The first action was a text input
-- column: app_opened | bigint | notifications | The first action opened the app: a tap, or a button registered foreground
-- column: dismissed | bigint | notifications | Dismissed, as far as iOS reports it: only in categories with
--   custom_dismiss_action, and not for a banner flicked away; null if none was observable
-- column: withdrawn | bigint | notifications | Removed while pending, and never seen
-- column: response_only | bigint | notifications | Known only by a response or dismissal; left out of every rate
-- column: delivered_seen | bigint | notifications | Delivered, with a delivery event of its own
-- column: presented_seen | bigint | notifications | Presented, with a presentation event of its own
-- column: updates | bigint | events | Requests of one notification beyond its first
-- column: duplicate_callbacks | bigint | events | Further callbacks for an action already counted
-- column: immature | bigint | notifications | Reached, but younger than window: there is still time to respond
-- column: dismiss_observable | bigint | notifications | Reached, in a category registered with custom_dismiss_action
-- column: delivery_observable | bigint | notifications | Requested with mutable_content, on a device that has ever sent a
--   delivery from a service extension and whose settings did not say denied
-- column: delivery_observed | bigint | notifications | Delivered, of `delivery_observable`
-- column: rate_denominator | bigint | notifications | Denominator of rates: `reached`, or with `per` those delivered or
--   presented; never one of `response_only`
-- column: responded_in_window | bigint | notifications | Of `rate_denominator`, responded to within window
-- column: opened_in_window | bigint | notifications | Of `rate_denominator`, opened within window
-- column: acted_in_window | bigint | notifications | Of `rate_denominator`, acted on by a button within window
-- column: replied_in_window | bigint | notifications | Of `rate_denominator`, replied to within window
-- column: app_opened_in_window | bigint | notifications | Of `rate_denominator`, those that opened the app within window
-- column: dismissed_in_window | bigint | notifications | Of `dismiss_observable`, dismissed within window
-- column: delivery_rate | double precision | fraction | `delivery_observed` ÷ `delivery_observable`
-- column: engagement_rate | double precision | fraction | `responded_in_window` ÷ `rate_denominator`
-- column: engagement_rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval, which assumes
--   independent notifications
-- column: engagement_rate_high | double precision | fraction | Upper bound of the 95 % Wilson score interval, which assumes
--   independent notifications
-- column: open_rate | double precision | fraction | `opened_in_window` ÷ `rate_denominator`
-- column: action_rate | double precision | fraction | `acted_in_window` ÷ `rate_denominator`
-- column: reply_rate | double precision | fraction | `replied_in_window` ÷ `rate_denominator`
-- column: app_open_rate | double precision | fraction | `app_opened_in_window` ÷ `rate_denominator`
-- column: dismiss_rate | double precision | fraction | A lower bound, because iOS does not report every dismissal:
--   `dismissed_in_window` ÷ `dismiss_observable`
-- column: response_p50 | double precision | seconds | Median time from shown_at to the first response, of those within
--   window; relative error up to 5 %, and 0 up to 0.1 s
-- column: response_p90 | double precision | seconds | 90th percentile of the same
-- column: response_p99 | double precision | seconds | 99th percentile of the same
-- column: devices | bigint | devices | Distinct devices reached; exact; null in `other`, and with `count_devices=false`
-- column: engaged_devices | bigint | devices | Distinct devices that responded to any notification; exact; null in `other`, and
--   with `count_devices=false`
-- column: window_approximate | boolean | | Whether rates and percentiles used the nearest bound instead of window
CREATE OR REPLACE FUNCTION report.engagement(
  app text, "by" text[] DEFAULT '{category}', "interval" text DEFAULT 'none',
  "from" text DEFAULT NULL, "to" text DEFAULT NULL, tz text DEFAULT 'UTC',
  "window" interval DEFAULT '72 hours', mature boolean DEFAULT false, per text DEFAULT 'reached', filters jsonb DEFAULT '{}',
  "limit" integer DEFAULT 1000, count_devices boolean DEFAULT true, source text DEFAULT 'rollup',
  as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, by_1 text, by_2 text, other boolean,
  requested bigint, failed bigint, reached bigint, reached_seen bigint, reached_assumed bigint, delivered bigint,
  presented bigint, suppressed bigint, silent bigint, responded bigint, opened bigint, acted bigint, replied bigint,
  app_opened bigint, dismissed bigint, withdrawn bigint, response_only bigint, delivered_seen bigint,
  presented_seen bigint, updates bigint, duplicate_callbacks bigint, immature bigint, dismiss_observable bigint,
  delivery_observable bigint, delivery_observed bigint, rate_denominator bigint, responded_in_window bigint,
  opened_in_window bigint, acted_in_window bigint, replied_in_window bigint, app_opened_in_window bigint,
  dismissed_in_window bigint, delivery_rate double precision, engagement_rate double precision,
  engagement_rate_low double precision, engagement_rate_high double precision, open_rate double precision,
  action_rate double precision, reply_rate double precision, app_open_rate double precision,
  dismiss_rate double precision, response_p50 double precision, response_p90 double precision,
  response_p99 double precision, devices bigint, engaged_devices bigint, window_approximate boolean, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_seqscan = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
-- Without sequential scans, as the planner cannot know how little the edges of the range are; and without nested loops,
-- but where nothing else is possible, as it cannot know how many keys there are.
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app);
  app_number integer := reporting.app_id(app);
  dimensions text[] := reporting.dimensions("by", accepted);
  used       text[];       -- dimensions other than category that rows or filters need
  grains     text[];       -- the rollup's buckets that can answer
  period     record;
  late       record;       -- the window in latency buckets
  young      timestamptz;  -- a notification from then on is immature
  keys       text[];       -- the expressions of the dimensions in a row of notification
  conditions text;
  summed     text := (     -- what the rollup counts, of several of its rows
    SELECT string_agg(format('sum(%1$I)::bigint AS %1$I', name), ', ' ORDER BY ordinal)
    FROM unnest('{requested,failed,reached,reached_seen,reached_assumed,delivered,presented,suppressed,silent,responded,opened,acted,
      replied,app_opened,dismissed,withdrawn,response_only,delivered_seen,presented_seen,dismiss_observable,delivery_observable,
      delivery_observed,updates,duplicate_callbacks}'::text[]) WITH ORDINALITY AS c (name, ordinal));
  ranges     record;
  devices    text;         -- the CTE that counts distinct devices
BEGIN
  PERFORM reporting.choice('per', per, '{reached,delivered,presented}');
  PERFORM reporting.choice('source', source, '{rollup,notification}');
  PERFORM reporting.row_limit("limit");
  late := reporting.window_buckets("window");
  period := reporting.divided_period("interval", "from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  conditions := reporting.row_filter(filters, accepted, '$17');
  IF period.starts IS NULL THEN
    RETURN;
  END IF;
  young := as_of - late.length + interval '1 microsecond';

  used := ARRAY(SELECT unnest(dimensions) UNION SELECT jsonb_object_keys(filters) EXCEPT SELECT 'category');
  grains := CASE WHEN source = 'notification' THEN '{}' ELSE reporting.engagement_grains(app_number, used) END;
  keys := ARRAY[reporting.dimension_key(dimensions, 1), reporting.dimension_key(dimensions, 2)];
  ranges := reporting.ranges(
    period.starts || period.to_at || CASE WHEN young > period.from_at AND young < period.to_at THEN ARRAY[young] ELSE '{}' END,
    grains);

  IF NOT count_devices THEN
    devices := 'device AS (SELECT NULL::integer AS slot, NULL::bigint AS key, 0::bigint AS devices, 0::bigint AS engaged_devices WHERE false)';
  -- By category, presence has been counted for whole days; only what is left of each interval is read one by one.
  ELSIF source = 'rollup' AND dimensions = '{category}' AND used = '{}'
    AND to_regclass('projection.presence_count') IS NOT NULL THEN
    devices := format($query$span AS MATERIALIZED (
      SELECT s.*, s.day_s < s.day_e AS has_days
      FROM (
        SELECT slot, begins, ends, date_bin('1 day', begins + interval '24 hours' - interval '1 microsecond', 'epoch') AS day_s,
          date_bin('1 day', ends, 'epoch') AS day_e
        FROM unnest($3, $15::timestamptz[]) WITH ORDINALITY AS i (begins, ends, slot)
      ) s
    ), edge AS MATERIALIZED (
      SELECT s.slot, s.has_days, s.day_s, s.day_e, n.device_id, coalesce(n.category, '') AS category,
        bool_or(reached_seen OR reached_assumed) AS reached, bool_or(responded) AS responded
      FROM span s
      CROSS JOIN LATERAL (VALUES (s.begins, CASE WHEN s.has_days THEN s.day_s ELSE s.ends END),
        (CASE WHEN s.has_days THEN s.day_e END, s.ends)) AS r (from_at, to_at)
      %s
      JOIN key k ON k.by_1 = coalesce(n.category, '') AND k.key <= $16
      WHERE r.from_at < r.to_at AND (reached_seen OR reached_assumed OR responded) AND %s
      GROUP BY 1, 2, 3, 4, 5, 6
    ), device AS (
      SELECT slot, key, coalesce(sum(devices) FILTER (WHERE what = 'reached'), 0)::bigint AS devices,
        coalesce(sum(devices) FILTER (WHERE what = 'responded'), 0)::bigint AS engaged_devices
      FROM (
        SELECT s.slot, e.category, e.what, sum(e.devices) AS devices
        FROM span s
        CROSS JOIN LATERAL (
          SELECT * FROM projection.presence_count c
          WHERE c.app_id = $1 AND c.day >= s.day_s AND c.day < s.day_e AND c.previous_day < s.day_s
          OFFSET 0
        ) e
        WHERE s.has_days AND reporting.matches(e.category, $17, 'category')
        GROUP BY 1, 2, 3
        UNION ALL
        -- Of the devices at the edges, those on none of the whole days; OFFSET keeps it to one index lookup each.
        SELECT e.slot, e.category, e.what, count(*)
        FROM (
          SELECT e.slot, e.category, w.what, e.has_days AND EXISTS (
            SELECT FROM projection.presence p
            WHERE (p.app_id, p.device_id, p.category, p.what) = ($1, e.device_id, e.category, w.what)
              AND p.day >= e.day_s AND p.day < e.day_e) AS is_counted
          FROM edge e
          CROSS JOIN LATERAL (VALUES ('reached', e.reached), ('responded', e.responded)) AS w (what, is_so)
          WHERE w.is_so
          OFFSET 0
        ) e
        WHERE NOT e.is_counted
        GROUP BY 1, 2, 3
      ) part
      JOIN key k ON k.by_1 = part.category AND k.key <= $16
      GROUP BY 1, 2
    )$query$, reporting.rows_of_ranges(true), conditions);
  ELSE
    devices := format($query$device AS (
      SELECT slot, key, count(*) FILTER (WHERE reached) AS devices, count(*) FILTER (WHERE responded) AS engaged_devices
      FROM (
        SELECT reporting.slot(n.cohort_at, $3) AS slot, %1$s AS by_1, %2$s AS by_2, n.device_id,
          bool_or(reached_seen OR reached_assumed) AS reached, bool_or(responded) AS responded
        FROM projection.notification n
        WHERE n.app_id = $1 AND n.cohort_at >= $10 AND n.cohort_at < $11
          AND (reached_seen OR reached_assumed OR responded) AND %3$s
        GROUP BY 1, 2, 3, 4
      ) each
      JOIN key k USING (by_1, by_2)
      WHERE k.key <= $16
      GROUP BY 1, 2
    )$query$, keys[1], keys[2], conditions);
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH range AS MATERIALIZED (
      SELECT * FROM unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) AS r (grain, from_at, to_at)
    ), part AS MATERIALIZED (
      SELECT width_bucket(e.bucket, $3) AS slot, reporting.rollup_key($18, 1, e.category, e.value) AS by_1,
        reporting.rollup_key($18, 2, e.category, e.value) AS by_2,
        %7$s,
        coalesce(sum(reached) FILTER (WHERE e.bucket >= $7), 0)::bigint AS immature
      FROM range r
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.engagement e
        WHERE e.app_id = $1 AND e.dimension = $2 AND e.grain = r.grain AND e.bucket >= r.from_at AND e.bucket < r.to_at
        OFFSET 0
      ) e
      WHERE reporting.matches(e.category, $17, 'category') AND reporting.matches(e.value, $17, $2)
      GROUP BY 1, 2, 3
      UNION ALL
      SELECT width_bucket(n.cohort_at, $3), %1$s, %2$s,
        count(*) FILTER (WHERE requested), count(*) FILTER (WHERE failed),
        count(*) FILTER (WHERE reached_seen OR reached_assumed), count(*) FILTER (WHERE reached_seen),
        count(*) FILTER (WHERE reached_assumed), count(*) FILTER (WHERE delivered), count(*) FILTER (WHERE presented),
        count(*) FILTER (WHERE suppressed), count(*) FILTER (WHERE silent), count(*) FILTER (WHERE responded),
        count(*) FILTER (WHERE opened), count(*) FILTER (WHERE acted), count(*) FILTER (WHERE replied),
        count(*) FILTER (WHERE app_opened), count(*) FILTER (WHERE dismissed), count(*) FILTER (WHERE withdrawn),
        count(*) FILTER (WHERE response_only), count(*) FILTER (WHERE delivery_at IS NOT NULL),
        count(*) FILTER (WHERE showed), count(*) FILTER (WHERE dismiss_observable),
        count(*) FILTER (WHERE delivery_observable), count(*) FILTER (WHERE delivery_observable AND delivered),
        sum(greatest(requests - 1, 0)), sum(duplicate_callbacks),
        count(*) FILTER (WHERE (reached_seen OR reached_assumed) AND cohort_at >= $7)
      FROM range r
      %6$s
      WHERE r.grain = 'none' AND %3$s
      GROUP BY 1, 2, 3
    ), %5$s, counted AS (
      SELECT slot, key,
        %7$s,
        sum(immature)::bigint AS immature
      FROM part
      JOIN key USING (by_1, by_2)
      GROUP BY 1, 2
    ), response AS MATERIALIZED (
      SELECT slot, key, outcome, app_opened, timed, latency, sum(responses)::bigint AS responses
      FROM (
        SELECT width_bucket(e.bucket, $3) AS slot, reporting.rollup_key($18, 1, e.category, e.value) AS by_1,
          reporting.rollup_key($18, 2, e.category, e.value) AS by_2, outcome, app_opened, timed, latency,
          sum(responses) AS responses
        FROM range r
        CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
          SELECT * FROM projection.engagement_latency e
          WHERE e.app_id = $1 AND e.dimension = $2 AND e.grain = r.grain AND e.bucket >= r.from_at AND e.bucket < r.to_at
          OFFSET 0
        ) e
        WHERE e.latency < $8 AND (e.reached OR $9 <> 'reached') AND reporting.matches(e.category, $17, 'category')
          AND reporting.matches(e.value, $17, $2)
        GROUP BY 1, 2, 3, 4, 5, 6, 7
        UNION ALL
        SELECT width_bucket(n.cohort_at, $3), %1$s, %2$s, w.outcome, w.app_opened, shown_at IS NOT NULL,
          reporting.latency(coalesce(shown_at, cohort_at), w.at, $14) AS latency, count(*)
        FROM range r
        %6$s
        CROSS JOIN LATERAL (
          VALUES (CASE WHEN opened THEN 'opened' WHEN acted THEN 'acted' ELSE 'replied' END, n.app_opened, responded_at,
            responded AND NOT response_only AND (reached_seen OR reached_assumed OR $9 <> 'reached')),
          ('dismissed', false, dismissed_at, dismissed AND dismiss_observable)
        ) AS w (outcome, app_opened, at, is_so)
        WHERE r.grain = 'none' AND (responded OR dismissed) AND w.is_so AND %3$s
        GROUP BY 1, 2, 3, 4, 5, 6, 7
      ) part
      JOIN key USING (by_1, by_2)
      WHERE latency < $8
      GROUP BY 1, 2, 3, 4, 5, 6
    ), engaged AS (
      SELECT slot, key, coalesce(sum(responses) FILTER (WHERE outcome <> 'dismissed'), 0)::bigint AS engaged,
        coalesce(sum(responses) FILTER (WHERE outcome = 'opened'), 0)::bigint AS engaged_open,
        coalesce(sum(responses) FILTER (WHERE outcome = 'acted'), 0)::bigint AS engaged_act,
        coalesce(sum(responses) FILTER (WHERE outcome = 'replied'), 0)::bigint AS engaged_reply,
        coalesce(sum(responses) FILTER (WHERE app_opened), 0)::bigint AS engaged_app,
        coalesce(sum(responses) FILTER (WHERE outcome = 'dismissed'), 0)::bigint AS dismissed_timely
      FROM response
      GROUP BY 1, 2
    ), timed AS (
      SELECT slot, key,
        reporting.latency_seconds(min(latency) FILTER (WHERE upto * 100 >= total * 50)::integer, $14) AS p50,
        reporting.latency_seconds(min(latency) FILTER (WHERE upto * 100 >= total * 90)::integer, $14) AS p90,
        reporting.latency_seconds(min(latency) FILTER (WHERE upto * 100 >= total * 99)::integer, $14) AS p99
      FROM (
        SELECT slot, key, latency, sum(sum(responses)) OVER (PARTITION BY slot, key ORDER BY latency) AS upto,
          sum(sum(responses)) OVER (PARTITION BY slot, key) AS total
        FROM response
        WHERE timed AND outcome <> 'dismissed'
        GROUP BY 1, 2, 3
      ) histogram
      GROUP BY 1, 2
    ), %4$s
    SELECT $12[slot], nullif(k.by_1, ''), nullif(k.by_2, ''), key > $16,
      requested, failed, reached, reached_seen, reached_assumed, delivered, presented, suppressed, silent, responded,
      opened, acted, replied, app_opened, CASE WHEN dismiss_observable > 0 THEN dismissed ELSE nullif(dismissed, 0) END, withdrawn,
      response_only, delivered_seen, presented_seen, updates, duplicate_callbacks, immature, dismiss_observable, delivery_observable,
      delivery_observed, denominator, engaged, engaged_open, engaged_act, engaged_reply, engaged_app, dismissed_timely,
      delivery_observed / nullif(delivery_observable, 0)::double precision,
      engaged / nullif(denominator, 0)::double precision, w.low, w.high, engaged_open / nullif(denominator, 0)::double precision,
      engaged_act / nullif(denominator, 0)::double precision, engaged_reply / nullif(denominator, 0)::double precision,
      engaged_app / nullif(denominator, 0)::double precision, dismissed_timely / nullif(dismiss_observable, 0)::double precision,
      p50, p90, p99, CASE WHEN $19 AND key <= $16 THEN coalesce(devices, 0) END,
      CASE WHEN $19 AND key <= $16 THEN coalesce(engaged_devices, 0) END,
      $13, (SELECT count(*) FROM key)
    FROM (
      SELECT counted.*, CASE $9 WHEN 'reached' THEN reached WHEN 'delivered' THEN delivered - response_only
          ELSE presented - response_only END AS denominator,
        coalesce(e.engaged, 0) AS engaged, coalesce(engaged_open, 0) AS engaged_open,
        coalesce(engaged_act, 0) AS engaged_act, coalesce(engaged_reply, 0) AS engaged_reply,
        coalesce(engaged_app, 0) AS engaged_app, coalesce(dismissed_timely, 0) AS dismissed_timely, p50, p90, p99,
        devices, engaged_devices
      FROM counted
      LEFT JOIN engaged e USING (slot, key)
      LEFT JOIN timed USING (slot, key)
      LEFT JOIN device USING (slot, key)
    ) whole
    LEFT JOIN (SELECT * FROM key WHERE key <= $16) k USING (key)
    CROSS JOIN LATERAL reporting.wilson(engaged, nullif(denominator, 0)) w
    ORDER BY slot, key > $16, nullif(k.by_1, '') NULLS LAST, nullif(k.by_2, '') NULLS LAST
  $query$, keys[1], keys[2], conditions, devices,
    reporting.keys('part', '{by_1,by_2}',
      CASE WHEN dimensions && reporting.own_dimensions(app_number) THEN 'requested' ELSE 'reached' END, '$16'),
    reporting.rows_of_ranges(grains <> '{}'), summed)
  USING app_number, coalesce(used[1], ''), period.starts, ranges.grains, ranges.froms, ranges.tos, young, late.buckets, per,
    period.from_at, period.to_at, period.labels, late.approximate, late.bounds, period.ends, "limit", filters, dimensions,
    count_devices;
END $$;

-- The value of the first or second of some dimensions in a row of a rollup, which has the category and the value of one
-- more; '' where there is no such dimension.
CREATE OR REPLACE FUNCTION reporting.rollup_key(dimensions text[], place integer, category text, value text)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN place > cardinality(dimensions) THEN ''
    WHEN dimensions[place] = 'category' THEN category ELSE value END
$$;
