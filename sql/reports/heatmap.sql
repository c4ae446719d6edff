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
LANGUAGE plpgsql STABLE SET jit = off SET enable_seqscan = off SET work_mem = '64MB' AS $$
-- Without sequential scans, as the planner cannot know how little the edges of the range are.
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app) || '{time_zone}'::text[];
  app_number integer := reporting.app_id(app);
  period     record;
  late       interval := (reporting.window_buckets("window")).length;
  slot      integer := reporting.window_slot("window");   -- of the window, where the rollup answers it
  ranges     record;
  rollup     text := '';
BEGIN
  PERFORM reporting.choice('clock', clock, '{device,tz}');
  PERFORM reporting.time_zone(tz);
  period := reporting.period("from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  IF filters = '{}' AND slot IS NOT NULL AND to_regclass('projection.cohort_zone') IS NOT NULL THEN
    rollup := $query$
      SELECT CASE WHEN $2 THEN c.time_zone ELSE '' END, c.bucket, sum(c.notifications),
        coalesce(sum(c.notifications) FILTER (WHERE c.within > 0), 0),
        coalesce(sum(c.notifications) FILTER (WHERE c.within BETWEEN 1 AND $9), 0),
        coalesce(sum(c.notifications) FILTER (WHERE c.bucket > $7 - $6), 0)
      FROM range r
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_zone c WHERE c.app_id = $1 AND c.bucket >= r.from_at AND c.bucket < r.to_at OFFSET 0
      ) c
      WHERE r.grain = 'quarter_hour'
      GROUP BY 1, 2
      UNION ALL
      $query$;
  END IF;
  -- A notification is immature from a moment after as_of - window on.
  ranges := reporting.ranges(
    (SELECT array_agg(cut) FROM unnest(ARRAY[period.from_at, as_of - late + interval '1 microsecond', period.to_at]) AS cut
      WHERE cut BETWEEN period.from_at AND period.to_at),
    CASE WHEN rollup <> '' THEN '{quarter_hour}'::text[] ELSE '{}' END);
  RETURN QUERY EXECUTE format($query$
    WITH range AS MATERIALIZED (
      SELECT * FROM unnest($4::text[], $5::timestamptz[], $8::timestamptz[]) AS r (grain, from_at, to_at)
    ), quarter (zone, at, reached, responded, engaged, immature) AS MATERIALIZED (   -- no zone is off by less than a quarter of an hour
      %2$s
      SELECT CASE WHEN $2 THEN coalesce(n.time_zone, '') ELSE '' END, date_bin('15 minutes', n.cohort_at, 'epoch'),
        count(*), count(*) FILTER (WHERE n.responded),
        count(*) FILTER (WHERE n.responded_at - coalesce(n.shown_at, n.cohort_at) <= $6),
        count(*) FILTER (WHERE n.cohort_at > $7 - $6)
      FROM range r
      JOIN projection.notification n ON n.app_id = $1 AND n.cohort_at >= r.from_at AND n.cohort_at < r.to_at
      WHERE r.grain = 'none' AND (n.reached_seen OR n.reached_assumed) AND %1$s
      GROUP BY 1, 2
    ), zone AS MATERIALIZED (
      SELECT z.zone, CASE WHEN $2 THEN reporting.known_time_zone(nullif(z.zone, '')) ELSE $3 END AS known
      FROM (SELECT DISTINCT q.zone FROM quarter q) z
    ), cell AS (
      SELECT extract(isodow FROM q.at AT TIME ZONE z.known)::integer AS weekday,
        extract(hour FROM q.at AT TIME ZONE z.known)::integer AS hour,
        sum(q.reached)::bigint AS reached, sum(q.responded)::bigint AS responded, sum(q.engaged)::bigint AS engaged,
        sum(q.immature)::bigint AS immature
      FROM quarter q
      JOIN zone z USING (zone)
      GROUP BY 1, 2
    )
    SELECT weekday, hour, coalesce(c.reached, 0), coalesce(c.responded, 0), coalesce(c.engaged, 0), c.engaged / c.reached::double precision,
      w.low, w.high, coalesce(c.immature, 0)
    FROM (SELECT weekday, hour FROM generate_series(1, 7) AS weekday, generate_series(0, 23) AS hour) grid
    FULL JOIN cell c USING (weekday, hour)
    CROSS JOIN LATERAL reporting.wilson(c.engaged, c.reached) w
    ORDER BY weekday NULLS LAST, hour
  $query$, reporting.row_filter(filters, accepted, '$10'), rollup)
  USING app_number, clock = 'device', tz, ranges.grains, ranges.froms, late, as_of, ranges.tos, slot, filters;
END $$;
