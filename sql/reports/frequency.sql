-- report: frequency
-- purpose: Whether people who get more notifications respond less and opt out more: one row per number of notifications that
--   reached a device in a week, from 1, and per interval if requested. Weeks begin on Monday in tz; only weeks wholly in the
--   range count, and a device only in weeks in which a notification reached it. It shows who got how many, not the effect of
--   more: senders write more to those who respond.
-- reads: notification, cohort, device_period
-- by rows: weeks of devices, each one; changes of settings to denied, of a table of their own; notifications with filters, with
--   another window than PT1H, PT6H, P1D, P3D, P7D and P30D, or in a time zone whose weeks begin at another time than in UTC
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
LANGUAGE plpgsql STABLE SET jit = off AS $$
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app);
  least_of   constant integer[] := '{1,2,3,4,6,11,21,51}';
  names      constant text[] := '{1,2,3,4-5,6-10,11-20,21-50,51+}';
  app_number integer := reporting.app_id(app);
  near       interval := (reporting.window_buckets("window")).length;
  period     record;
  starts     timestamptz[];   -- of the weeks that count, with the end of the last
  labels     timestamptz[];   -- and the interval that each is in
BEGIN
  PERFORM reporting.choice('interval', "interval", '{none,week,month}');
  period := reporting.period("from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  PERFORM reporting.filters(filters, accepted);
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

  RETURN QUERY
  SELECT c.label, names[c.size], least_of[c.size], c.device_weeks, c.devices, c.reached, c.engaged, c.engaged / c.reached::double precision,
    w.low, w.high, c.active, c.active / c.device_weeks::double precision, coalesce(c.opt_outs, 0)::double precision,
    coalesce(c.opt_outs / c.device_weeks, 0)::double precision, coalesce(c.opt_outs * 1000 / c.reached, 0)::double precision
  FROM (
    SELECT c.label, c.size, sum(c.device_weeks)::bigint AS device_weeks, sum(c.devices)::bigint AS devices, sum(c.reached)::bigint AS reached,
      sum(c.engaged)::bigint AS engaged, sum(c.active)::bigint AS active, sum(c.opt_outs) AS opt_outs
    FROM reporting.frequency_counts(app_number, starts, labels, least_of, near, filters, as_of) c
    GROUP BY 1, 2
  ) c
  CROSS JOIN LATERAL reporting.wilson(c.engaged, c.reached) w
  ORDER BY c.label, c.size;
END $$;
