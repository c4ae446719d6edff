-- report: heatmap
-- purpose: At which hour of which weekday notifications reach people, and the responses: one row per weekday and hour of the
--   notification's cohort_at on the device's own clock, including those without any notification. A row without weekday is for
--   devices with an unknown time zone.
-- reads: notification, cohort
-- by rows: notifications with filters, or with another window than PT1H, PT6H, P1D, P3D, P7D and P30D
--
-- parameter: clock | choice | device | device, tz | Whose weekday and hour: each device's own time zone, or tz
-- parameter: from
-- parameter: to
-- parameter: tz | Time zone of dates; with clock=tz also of weekdays and hours
-- parameter: window
-- parameter: mature
-- filters: $notification_dimensions, time_zone
-- table: weekday, hour, reached, responded, engagement_rate, engagement_rate_low, engagement_rate_high, immature
-- in window: responded_in_window
-- growing: responded
--
-- column: weekday | integer | | 1 Monday to 7 Sunday (ISO 8601); null if the device's time zone is unknown
-- column: hour | integer | | 0 to 23; when clocks go back, the repeated hour counts both
-- column: reached | bigint | notifications | As in `engagement`
-- column: responded | bigint | notifications | Of them, acted on at any time
-- column: responded_in_window | bigint | notifications | Of them, acted on within window
-- column: engagement_rate | double precision | fraction | `responded_in_window` ÷ `reached`
-- column: engagement_rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval, which assumes
--   independent notifications
-- column: engagement_rate_high | double precision | fraction | Upper bound of the 95 % Wilson score interval, which assumes
--   independent notifications
-- column: immature | bigint | notifications | Reached, but younger than window: there is still time to respond
CREATE OR REPLACE FUNCTION report.heatmap(
  app text, clock text DEFAULT 'device', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', "window" interval DEFAULT '72 hours', mature boolean DEFAULT false, filters jsonb DEFAULT '{}', as_of timestamptz DEFAULT now())
RETURNS TABLE (
  weekday integer, hour integer, reached bigint, responded bigint, responded_in_window bigint, engagement_rate double precision,
  engagement_rate_low double precision, engagement_rate_high double precision, immature bigint)
LANGUAGE plpgsql STABLE SET jit = off AS $$
DECLARE
  app_number integer := reporting.app_id(app);
  period     record;
  late       interval := (reporting.window_buckets("window")).length;
BEGIN
  PERFORM reporting.choice('clock', clock, '{device,tz}');
  PERFORM reporting.time_zone(tz);
  period := reporting.period("from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  PERFORM reporting.filters(filters, reporting.notification_dimensions(app) || '{time_zone}'::text[]);
  RETURN QUERY EXECUTE $query$
    WITH cell AS (
      SELECT weekday, hour, sum(reached)::bigint AS reached, sum(responded)::bigint AS responded, sum(engaged)::bigint AS engaged,
        sum(immature)::bigint AS immature
      FROM reporting.heatmap_counts($1, $2, $3, $4, $5, $6, $7, $8)
      GROUP BY 1, 2
    )
    SELECT weekday, hour, coalesce(c.reached, 0), coalesce(c.responded, 0), coalesce(c.engaged, 0), c.engaged / c.reached::double precision,
      w.low, w.high, coalesce(c.immature, 0)
    FROM (SELECT weekday, hour FROM generate_series(1, 7) AS weekday, generate_series(0, 23) AS hour) grid
    FULL JOIN cell c USING (weekday, hour)
    CROSS JOIN LATERAL reporting.wilson(c.engaged, c.reached) w
    ORDER BY weekday NULLS LAST, hour
  $query$
  USING app_number, period.from_at, period.to_at, CASE WHEN clock = 'tz' THEN tz END, late, reporting.window_slot("window"), filters, as_of;
END $$;
