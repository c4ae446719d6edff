-- report: frequency
-- purpose: Whether people who get more notifications respond less and opt out more: one row per number of notifications that
--   reached a device in a week, from 1, and per interval if requested. Weeks begin on Monday in tz; only weeks wholly in the
--   range count, and a device only in weeks in which a notification reached it. It shows who got how many, not the effect of
--   more: senders write more to those who respond.
-- reads: notification, cohort, device_period
-- by rows: weeks of devices, each one; notifications with filters, with another window than PT1H, PT6H, P1D, P3D, P7D and
--   P30D, or in a time zone whose weeks begin at another time than in UTC
--
-- parameter: interval | choice | none | none, week, month | Rows per interval of local time; a week is in the month in which
--   it begins
-- parameter: from | Weeks that begin at or after this time
-- parameter: to | Weeks that end at or before this time
-- parameter: tz | Time zone of weeks
-- parameter: window
-- parameter: mature
-- filters: $notification_dimensions
-- table: interval_start, per_week, device_weeks, devices, reached, engagement_rate, active_rate, opt_out_rate,
--   opt_outs_per_1000, opt_outs
-- in window: responded_in_window, active_device_weeks
-- growing: none
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: per_week | text | | Notifications that reached the device in the week: 1, 2, 3, 4-5, 6-10, 11-20, 21-50, 51+
-- column: at_least | integer | notifications | The lowest number of per_week
-- column: device_weeks | bigint | device-weeks | Weeks of devices that got this number
-- column: devices | bigint | devices | Distinct devices that had such a week
-- column: reached | bigint | notifications | Reached in those weeks
-- column: responded_in_window | bigint | notifications | Of `reached`, responded to within window
-- column: engagement_rate | double precision | fraction | `responded_in_window` ÷ `reached`
-- column: engagement_rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval, which assumes
--   independent notifications
-- column: engagement_rate_high | double precision | fraction | Upper bound of the 95 % Wilson score interval, which assumes
--   independent notifications
-- column: active_device_weeks | bigint | device-weeks | With a response within window
-- column: active_rate | double precision | fraction | `active_device_weeks` ÷ `device_weeks`
-- column: opt_outs | double precision | devices | Changes to denied, each shared equally among the notifications that may
--   have caused it, as in the report opt_outs
-- column: opt_out_rate | double precision | per device-week | `opt_outs` ÷ `device_weeks`
-- column: opt_outs_per_1000 | double precision | per 1000 | 1,000 × `opt_outs` ÷ `reached`
CREATE OR REPLACE FUNCTION report.frequency(
  app text, "interval" text DEFAULT 'none', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', "window" interval DEFAULT '72 hours', mature boolean DEFAULT false, filters jsonb DEFAULT '{}',
  as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, per_week text, at_least integer, device_weeks bigint, devices bigint, reached bigint,
  responded_in_window bigint, engagement_rate double precision, engagement_rate_low double precision, engagement_rate_high double precision,
  active_device_weeks bigint, active_rate double precision, opt_outs double precision, opt_out_rate double precision,
  opt_outs_per_1000 double precision)
LANGUAGE plpgsql STABLE SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app);
  least_of   constant integer[] := '{1,2,3,4,6,11,21,51}';
  names      constant text[] := '{1,2,3,4-5,6-10,11-20,21-50,51+}';
  app_number integer := reporting.app_id(app);
  near       interval := (reporting.window_buckets("window")).length;
  slot      integer := reporting.window_slot("window");   -- of the window, where the rollup answers it
  period     record;
  starts     timestamptz[];   -- of the weeks that count, with the end of the last
  labels     timestamptz[];   -- and the interval that each is in
  conditions text;
  device_week text;   -- what reached each device in each week
  again      text := 'MATERIALIZED';   -- unless it is there to be read as often as it takes
BEGIN
  PERFORM reporting.choice('interval', "interval", '{none,week,month}');
  period := reporting.period("from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  conditions := reporting.row_filter(filters, accepted, '$8');
  WITH week AS (
    SELECT i.interval_start AS start, reporting.local_instant((i.interval_start AT TIME ZONE tz) + interval '7 days', tz) AS until
    FROM reporting.intervals('week', period.from_at, period.to_at, tz) i
  )
  SELECT array_agg(w.start ORDER BY w.start) || max(w.until),
    array_agg(CASE "interval" WHEN 'week' THEN w.start WHEN 'month' THEN
      reporting.local_instant(date_trunc('month', w.start AT TIME ZONE tz), tz) END ORDER BY w.start)
  INTO starts, labels
  FROM week w
  WHERE w.start >= period.from_at AND w.until <= period.to_at;
  IF labels IS NULL THEN
    RETURN;
  END IF;

  IF filters = '{}' AND slot IS NOT NULL AND to_regclass('projection.device_week') IS NOT NULL
    AND NOT EXISTS (SELECT FROM unnest(starts) AS s (start) WHERE start <> date_bin('7 days', start, '1970-01-05T00:00:00Z')) THEN
    again := 'NOT MATERIALIZED';
    device_week := $query$
      SELECT w.device_id, w.week AS start, w.reached,
        CASE $10 WHEN 1 THEN w.within_1h WHEN 2 THEN w.within_6h WHEN 3 THEN w.within_1d
          WHEN 4 THEN w.within_3d WHEN 5 THEN w.within_7d ELSE w.within_30d END AS engaged
      FROM projection.device_week w
      WHERE w.app_id = $1 AND w.week >= $2[1] AND w.week < $2[cardinality($2)]$query$;
  ELSE
    device_week := format($query$
      SELECT n.device_id, $2[width_bucket(n.cohort_at, $2)] AS start, count(*)::integer AS reached,
        (count(*) FILTER (WHERE n.responded_at <= coalesce(n.shown_at, n.cohort_at) + $5))::integer AS engaged
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at >= $2[1] AND n.cohort_at < $2[cardinality($2)]
        AND (n.reached_seen OR n.reached_assumed) AND %s
      GROUP BY 1, 2$query$, conditions);
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH device_week AS %4$s (
      %3$s
    ), opted_out AS MATERIALIZED (
      SELECT s.device_id, $2[width_bucket(s.cohort_at, $2)] AS start, sum(s.share) AS share
      FROM reporting.setting_shares($1, '{authorization_status}', $2[1], $4) s
      %2$s
      WHERE s.setting = 'authorization_status' AND s.cohort_at >= $2[1] AND s.cohort_at < $2[cardinality($2)] AND %1$s
      GROUP BY 1, 2
    ), shared AS (
      SELECT $3[width_bucket(d.start, $2)] AS label, width_bucket(d.reached, $6) AS size, sum(o.share) AS opt_outs
      FROM opted_out o
      JOIN device_week d USING (device_id, start)
      GROUP BY 1, 2
    ), counted AS (
      SELECT $3[width_bucket(start, $2)] AS label, width_bucket(reached, $6) AS size, sum(device_weeks)::bigint AS device_weeks,
        sum(reached * device_weeks)::bigint AS reached, sum(engaged)::bigint AS engaged, sum(active)::bigint AS active
      FROM (   -- few, as many as are alike
        SELECT start, reached, count(*) AS device_weeks, sum(engaged) AS engaged, count(*) FILTER (WHERE engaged > 0) AS active
        FROM device_week
        GROUP BY 1, 2
      ) alike
      GROUP BY 1, 2
    ), sized AS (   -- each device once for every size of week that it had
      SELECT label, size, sum(devices)::bigint AS devices
      FROM (
        SELECT label, sizes, count(*) AS devices
        FROM (
          SELECT CASE WHEN $9 THEN NULL ELSE $3[width_bucket(start, $2)] END AS label,
            bit_or(1 << width_bucket(reached, $6)) AS sizes
          FROM device_week
          GROUP BY device_id, 1
        ) device
        GROUP BY 1, 2
      ) alike
      JOIN generate_series(1, cardinality($6)) AS s (size) ON (sizes >> size) & 1 = 1
      GROUP BY 1, 2
    )
    SELECT c.label, $7[c.size], $6[c.size], device_weeks, devices, reached, engaged, engaged / reached::double precision, w.low, w.high,
      active, active / device_weeks::double precision, coalesce(opt_outs, 0)::double precision,
      coalesce(opt_outs / device_weeks, 0)::double precision, coalesce(opt_outs * 1000 / reached, 0)::double precision
    FROM counted c
    JOIN sized d ON d.size = c.size AND d.label IS NOT DISTINCT FROM c.label
    LEFT JOIN shared s ON s.size = c.size AND s.label IS NOT DISTINCT FROM c.label
    CROSS JOIN LATERAL reporting.wilson(engaged, reached) w
    ORDER BY c.label, c.size
  $query$, conditions,
    -- Only filters need the notifications.
    CASE WHEN filters <> '{}' THEN
      'JOIN projection.notification n ON (n.app_id, n.device_id, n.notification_id, n.occurrence)
        = ($1, s.device_id, s.notification_id, s.occurrence)' ELSE '' END, device_week, again)
  USING app_number, starts, labels, as_of, near, least_of, names, filters, "interval" = 'none', slot;
END $$;
