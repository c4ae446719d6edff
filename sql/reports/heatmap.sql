-- report: heatmap
-- purpose: At which hour of which weekday notifications reach people, and how well they do: one row per weekday and
--   hour of the notification's cohort_at, as the device's own clock read it, those without any notification too. A row
--   without weekday is for devices whose time zone is not known.
-- reads: notification
--
-- parameter: clock | choice | device | device, tz | Whose weekday and hour: each device's own time zone, or tz
-- parameter: from | time | 30 days before to | an RFC 3339 time, or a date in tz | Notifications from then on
-- parameter: to | time | now | an RFC 3339 time, or a date in tz | Notifications before then
-- parameter: tz | zone | UTC | an IANA time zone | Whose dates; with clock=tz also whose weekdays and hours
-- parameter: window | duration | P3D | PT1S to P400D | Time to respond: rates count responses within it
-- filters: category, requested_category, trigger, interruption_level, campaign, variant, platform, os_version,
--   app_version, locale, time_zone
-- table: weekday, hour, reached, responded, engagement_rate, engagement_rate_low, engagement_rate_high, immature
--
-- column: weekday | integer | | 1 Monday to 7 Sunday (ISO 8601); null where the device's time zone is not known
-- column: hour | integer | | 0 to 23; where clocks go back, the hour that comes twice takes both
-- column: reached | bigint | notifications | As in `engagement`
-- column: responded | bigint | notifications | Of them, acted on at any time
-- column: engagement_rate | double precision | fraction | Of the notifications reached, the part that was responded to
--   within window
-- column: engagement_rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval, which takes
--   notifications as independent
-- column: engagement_rate_high | double precision | fraction | Upper bound of the 95 % Wilson score interval, which takes
--   notifications as independent
-- column: immature | bigint | notifications | Reached, but younger than window: their time to respond is not over
CREATE OR REPLACE FUNCTION report.heatmap(
  app text, clock text DEFAULT 'device', "from" timestamptz DEFAULT NULL, "to" timestamptz DEFAULT NULL,
  tz text DEFAULT 'UTC', "window" interval DEFAULT '72 hours', filters jsonb DEFAULT '{}', as_of timestamptz DEFAULT now())
RETURNS TABLE (
  weekday integer, hour integer, reached bigint, responded bigint, engagement_rate double precision,
  engagement_rate_low double precision, engagement_rate_high double precision, immature bigint)
LANGUAGE plpgsql STABLE SET jit = off AS $$
DECLARE
  accepted   constant text[] := '{category,requested_category,trigger,interruption_level,campaign,variant,platform,os_version,app_version,locale,time_zone}';
  app_number integer := report.app_id(app);
  period     record;
  late       interval := (report.window_buckets("window")).microseconds * interval '1 microsecond';
BEGIN
  PERFORM report.choice('clock', clock, '{device,tz}');
  PERFORM report.time_zone(tz);
  period := report.period("from", "to", as_of);
  RETURN QUERY EXECUTE format($query$
    WITH quarter AS MATERIALIZED (   -- no zone is off by less than a quarter of an hour
      SELECT CASE WHEN $2 THEN n.time_zone END AS zone, date_bin('15 minutes', n.cohort_at, 'epoch') AS at,
        count(*) AS reached, count(*) FILTER (WHERE n.responded) AS responded,
        count(*) FILTER (WHERE n.responded_at - coalesce(n.shown_at, n.cohort_at) <= $6) AS engaged,
        count(*) FILTER (WHERE n.cohort_at > $7 - $6) AS immature
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at >= $4 AND n.cohort_at < $5 AND (n.reached_seen OR n.reached_assumed) AND %s
      GROUP BY 1, 2
    ), zone AS (
      SELECT z.zone, CASE WHEN $2 THEN report.known_time_zone(z.zone) ELSE $3 END AS known
      FROM (SELECT DISTINCT q.zone FROM quarter q) z
    ), cell AS (
      SELECT extract(isodow FROM q.at AT TIME ZONE z.known)::integer AS weekday,
        extract(hour FROM q.at AT TIME ZONE z.known)::integer AS hour,
        sum(q.reached)::bigint AS reached, sum(q.responded)::bigint AS responded, sum(q.engaged)::bigint AS engaged,
        sum(q.immature)::bigint AS immature
      FROM quarter q
      JOIN zone z ON z.zone IS NOT DISTINCT FROM q.zone
      GROUP BY 1, 2
    )
    SELECT weekday, hour, coalesce(c.reached, 0), coalesce(c.responded, 0), c.engaged / c.reached::double precision,
      w.low, w.high, coalesce(c.immature, 0)
    FROM (SELECT weekday, hour FROM generate_series(1, 7) AS weekday, generate_series(0, 23) AS hour) grid
    FULL JOIN cell c USING (weekday, hour)
    CROSS JOIN LATERAL report.wilson(c.engaged, c.reached) w
    ORDER BY weekday NULLS LAST, hour
  $query$, report.filter(filters, (SELECT jsonb_object_agg(name, format('coalesce(n.%I, '''')', name)) FROM unnest(accepted) AS name)))
  USING app_number, clock = 'device', tz, period.from_at, period.to_at, late, as_of;
END $$;
