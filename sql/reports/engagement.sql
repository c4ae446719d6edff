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
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
-- Without nested loops, but where nothing else is possible, as the planner cannot know how many keys there are.
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app);
  app_number integer := reporting.app_id(app);
  dimensions text[] := reporting.dimensions("by", accepted);
  used       text[];       -- dimensions other than category that rows or filters need
  grains     text[];       -- the rollup's buckets that can answer
  period     record;
  late       record;       -- the window in latency buckets
  young      timestamptz;  -- a notification from then on is immature
  cuts       timestamptz[];   -- no range that the rollup answers reaches over them
BEGIN
  PERFORM reporting.choice('per', per, '{reached,delivered,presented}');
  PERFORM reporting.choice('source', source, '{rollup,notification}');
  PERFORM reporting.row_limit("limit");
  late := reporting.window_buckets("window");
  period := reporting.divided_period("interval", "from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  PERFORM reporting.filters(filters, accepted);
  IF period.starts IS NULL THEN
    RETURN;
  END IF;
  young := as_of - late.length + interval '1 microsecond';

  used := ARRAY(SELECT unnest(dimensions) UNION SELECT jsonb_object_keys(filters) EXCEPT SELECT 'category');
  grains := CASE WHEN source = 'notification' THEN '{}' ELSE reporting.engagement_grains(app_number, used) END;
  cuts := period.starts || period.to_at || CASE WHEN young > period.from_at AND young < period.to_at THEN ARRAY[young] ELSE '{}' END;

  RETURN QUERY EXECUTE format($query$
    WITH part AS MATERIALIZED (
      SELECT * FROM reporting.engagement_counts($1, $2, $3, $4, $5, $6, $9, $10)
    ), %1$s, kept AS MATERIALIZED (
      SELECT array_agg(by_1 ORDER BY key) AS by_1, array_agg(by_2 ORDER BY key) AS by_2 FROM key WHERE key <= $8
    ), counted AS (
      SELECT slot, key,
        %2$s,
        sum(immature)::bigint AS immature
      FROM part
      JOIN key USING (by_1, by_2)
      GROUP BY 1, 2
    ), response AS MATERIALIZED (
      SELECT r.*
      FROM kept k
      CROSS JOIN LATERAL reporting.engagement_response_counts($1, $2, $3, $4, $5, $6, $11, $13, k.by_1, k.by_2, $10) r
    ), engaged AS MATERIALIZED (
      SELECT slot, key, sum(engaged)::bigint AS engaged, sum(engaged_open)::bigint AS engaged_open, sum(engaged_act)::bigint AS engaged_act,
        sum(engaged_reply)::bigint AS engaged_reply, sum(engaged_app)::bigint AS engaged_app,
        sum(dismissed_timely)::bigint AS dismissed_timely, sum(timed)::bigint AS timed
      FROM response
      GROUP BY 1, 2
    ), timed AS (
      SELECT slot, key,
        reporting.latency_seconds(min(latency) FILTER (WHERE upto * 100 >= total * 50)::integer, $15) AS p50,
        reporting.latency_seconds(min(latency) FILTER (WHERE upto * 100 >= total * 90)::integer, $15) AS p90,
        reporting.latency_seconds(min(latency) FILTER (WHERE upto * 100 >= total * 99)::integer, $15) AS p99
      FROM (
        SELECT slot, key, l.latency, sum(l.responses) OVER (PARTITION BY slot, key ORDER BY l.latency) AS upto, e.timed AS total
        FROM response
        JOIN engaged e USING (slot, key)
        CROSS JOIN LATERAL unnest(response.latencies, response.latency_responses) AS l (latency, responses)
      ) histogram
      GROUP BY 1, 2
    ), device AS (
      SELECT d.slot, d.key, sum(d.devices)::bigint AS devices, sum(d.engaged_devices)::bigint AS engaged_devices
      FROM kept k
      CROSS JOIN LATERAL reporting.engagement_device_counts($1, $2, $16, $4, $5, $6, k.by_1, k.by_2, $10) d
      WHERE $14
      GROUP BY 1, 2
    )
    SELECT $7[slot], nullif(k.by_1, ''), nullif(k.by_2, ''), key > $8,
      requested, failed, reached, reached_seen, reached_assumed, delivered, presented, suppressed, silent, responded,
      opened, acted, replied, app_opened, CASE WHEN dismiss_observable > 0 THEN dismissed ELSE nullif(dismissed, 0) END, withdrawn,
      response_only, delivered_seen, presented_seen, updates, duplicate_callbacks, immature, dismiss_observable, delivery_observable,
      delivery_observed, denominator, engaged, engaged_open, engaged_act, engaged_reply, engaged_app, dismissed_timely,
      delivery_observed / nullif(delivery_observable, 0)::double precision,
      engaged / nullif(denominator, 0)::double precision, w.low, w.high, engaged_open / nullif(denominator, 0)::double precision,
      engaged_act / nullif(denominator, 0)::double precision, engaged_reply / nullif(denominator, 0)::double precision,
      engaged_app / nullif(denominator, 0)::double precision, dismissed_timely / nullif(dismiss_observable, 0)::double precision,
      p50, p90, p99, CASE WHEN $14 AND key <= $8 THEN coalesce(devices, 0) END,
      CASE WHEN $14 AND key <= $8 THEN coalesce(engaged_devices, 0) END,
      $12, (SELECT count(*) FROM key)
    FROM (
      SELECT counted.*, CASE $11 WHEN 'reached' THEN reached WHEN 'delivered' THEN delivered - response_only
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
    LEFT JOIN (SELECT * FROM key WHERE key <= $8) k USING (key)
    CROSS JOIN LATERAL reporting.wilson(engaged, nullif(denominator, 0)) w
    ORDER BY slot, key > $8, nullif(k.by_1, '') COLLATE "C" NULLS LAST, nullif(k.by_2, '') COLLATE "C" NULLS LAST
  $query$, reporting.keys('part', '{by_1,by_2}',
      CASE WHEN dimensions && reporting.own_dimensions(app_number) THEN 'requested' ELSE 'reached' END, '$8'),
    reporting.engagement_sums())
  USING app_number, period.starts, cuts, grains, dimensions, coalesce(used[1], ''), period.labels, "limit", young, filters, per,
    late.approximate, late.buckets, count_devices, late.bounds, period.ends;
END $$;
