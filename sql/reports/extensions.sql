-- report: extensions
-- purpose: What notification service extensions made of pushes: one row per app version, per interval where asked. An
--   update of a notification runs the extension again, and each run counts.
-- reads: notification, cohort_event, extension
--
-- parameter: interval | choice | none | none, hour, day, week, month | Rows per interval of local time
-- parameter: from | time | 30 days before to | an RFC 3339 time, or a date in tz | Notifications from then on
-- parameter: to | time | now | an RFC 3339 time, or a date in tz | Notifications before then
-- parameter: tz | zone | UTC | an IANA time zone | Whose dates and intervals
-- parameter: window | duration | P3D | PT1S to P400D | Time to respond: rates count responses within it
-- filters: category, requested_category, trigger, interruption_level, campaign, variant, platform, os_version,
--   app_version, locale
-- table: interval_start, app_version, runs, modified, expired, filtered, attachments_failed, duration_p50, duration_p99,
--   modified_engagement_rate, expired_engagement_rate, unmodified
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: app_version | text | | The device's; null where it was not said
-- column: runs | bigint | events | Runs of extensions
-- column: modified | bigint | events | Runs that changed the content
-- column: unmodified | bigint | events | Runs that left it as it was
-- column: expired | bigint | events | Runs cut off by the system (serviceExtensionTimeWillExpire): shown as they came
-- column: filtered | bigint | events | Runs that kept it from being shown
-- column: unstated | bigint | events | Runs without word of their outcome
-- column: attachments_loaded | bigint | attachments | Loaded; null where no run told
-- column: attachments_failed | bigint | attachments | Not loaded; null where no run told
-- column: attachment_failure_rate | double precision | fraction | Not loaded, of those tried
-- column: duration_p50 | double precision | seconds | Median length of a run, of those that told
-- column: duration_p99 | double precision | seconds | 99th percentile of the same
-- column: engagement_rate | double precision | fraction | Of the runs for notifications that were reached, the part whose
--   notification was responded to within window
-- column: modified_engagement_rate | double precision | fraction | The same, of runs that changed the content
-- column: unmodified_engagement_rate | double precision | fraction | The same, of runs that changed nothing
-- column: expired_engagement_rate | double precision | fraction | The same, of runs that were cut off
CREATE OR REPLACE FUNCTION report.extensions(
  app text, "interval" text DEFAULT 'none', "from" timestamptz DEFAULT NULL, "to" timestamptz DEFAULT NULL,
  tz text DEFAULT 'UTC', "window" interval DEFAULT '72 hours', filters jsonb DEFAULT '{}',
  as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, app_version text, runs bigint, modified bigint, unmodified bigint,
  expired bigint, filtered bigint, unstated bigint, attachments_loaded bigint, attachments_failed bigint,
  attachment_failure_rate double precision, duration_p50 double precision, duration_p99 double precision,
  engagement_rate double precision, modified_engagement_rate double precision,
  unmodified_engagement_rate double precision, expired_engagement_rate double precision)
LANGUAGE plpgsql STABLE SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  accepted   constant text[] := '{category,requested_category,trigger,interruption_level,campaign,variant,platform,os_version,app_version,locale}';
  app_number integer := report.app_id(app);
  near       interval := (report.window_buckets("window")).microseconds * interval '1 microsecond';
  period     record;
  starts     timestamptz[];
  labels     timestamptz[];
  conditions text;
  place      text;
  runs       text;   -- of extensions
BEGIN
  period := report.period("from", "to", as_of);
  SELECT array_agg(i.begins ORDER BY i.begins), array_agg(i.interval_start ORDER BY i.begins) INTO starts, labels
  FROM report.intervals("interval", period.from_at, period.to_at, tz) i;
  conditions := report.filter(filters,
    (SELECT jsonb_object_agg(name, format('coalesce(n.%I, '''')', name)) FROM unnest(accepted) AS name));
  IF starts IS NULL THEN
    RETURN;
  END IF;
  place := CASE WHEN cardinality(starts) = 1 THEN '1' ELSE 'width_bucket(n.cohort_at, $2)' END;

  IF filters - 'app_version' = '{}' AND to_regclass('projection.cohort_extension') IS NOT NULL THEN
    runs := format($query$
      SELECT %1$s AS place, coalesce(n.app_version, '') AS app_version, n.outcome, n.duration_ms, n.attachments_loaded,
        n.attachments_failed, n.reached, n.reached AND n.latency <= $6 AS engaged
      FROM projection.cohort_extension n
      WHERE n.app_id = $1 AND n.cohort_at >= $3 AND n.cohort_at < $4 AND %2$s$query$, place, conditions);
  ELSE
    runs := format($query$
      SELECT %1$s AS place, coalesce(n.app_version, '') AS app_version, e.outcome, e.duration_ms, e.attachments_loaded,
        e.attachments_failed, n.reached_seen OR n.reached_assumed AS reached,
        (n.reached_seen OR n.reached_assumed) AND n.responded_at <= coalesce(n.shown_at, n.cohort_at) + $6 AS engaged
      FROM projection.notification_extension e
      JOIN projection.notification n USING (app_id, device_id, notification_id, occurrence)
      WHERE e.app_id = $1 AND n.cohort_at >= $3 AND n.cohort_at < $4 AND %2$s$query$, place, conditions);
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH run AS (
      %s
    ), alike AS MATERIALIZED (   -- as many as differ in nothing that matters
      SELECT place, app_version, outcome, duration_ms, reached, engaged, count(*) AS runs,
        sum(attachments_loaded) AS loaded, sum(attachments_failed) AS failed
      FROM run
      GROUP BY 1, 2, 3, 4, 5, 6
    ), timed AS (
      SELECT place, app_version, min(duration_ms) FILTER (WHERE upto >= ceil(0.5 * total::double precision)) AS p50,
        min(duration_ms) FILTER (WHERE upto >= ceil(0.99::double precision * total::double precision)) AS p99
      FROM (
        SELECT place, app_version, duration_ms, sum(sum(runs)) OVER (PARTITION BY place, app_version ORDER BY duration_ms) AS upto,
          sum(sum(runs)) OVER (PARTITION BY place, app_version) AS total
        FROM alike
        WHERE duration_ms IS NOT NULL
        GROUP BY 1, 2, 3
      ) histogram
      GROUP BY 1, 2
    ), counted AS (
      SELECT place, app_version, sum(runs)::bigint AS runs,
        coalesce(sum(runs) FILTER (WHERE outcome = 'modified'), 0)::bigint AS modified,
        coalesce(sum(runs) FILTER (WHERE outcome = 'unmodified'), 0)::bigint AS unmodified,
        coalesce(sum(runs) FILTER (WHERE outcome = 'expired'), 0)::bigint AS expired,
        coalesce(sum(runs) FILTER (WHERE outcome = 'filtered'), 0)::bigint AS filtered,
        coalesce(sum(runs) FILTER (WHERE outcome IS NULL), 0)::bigint AS unstated,
        sum(loaded)::bigint AS loaded, sum(failed)::bigint AS failed,
        coalesce(sum(runs) FILTER (WHERE engaged), 0) AS engaged, sum(runs) FILTER (WHERE reached) AS reached,
        coalesce(sum(runs) FILTER (WHERE engaged AND outcome = 'modified'), 0) AS modified_engaged,
        sum(runs) FILTER (WHERE reached AND outcome = 'modified') AS modified_reached,
        coalesce(sum(runs) FILTER (WHERE engaged AND outcome = 'unmodified'), 0) AS unmodified_engaged,
        sum(runs) FILTER (WHERE reached AND outcome = 'unmodified') AS unmodified_reached,
        coalesce(sum(runs) FILTER (WHERE engaged AND outcome = 'expired'), 0) AS expired_engaged,
        sum(runs) FILTER (WHERE reached AND outcome = 'expired') AS expired_reached
      FROM alike
      GROUP BY 1, 2
    )
    SELECT $5[place], nullif(app_version, ''), runs, modified, unmodified, expired, filtered, unstated, loaded, failed,
      failed / nullif(coalesce(loaded, 0) + failed, 0)::double precision, p50 / 1000.0::double precision,
      p99 / 1000.0::double precision, engaged / reached::double precision, modified_engaged / modified_reached::double precision,
      unmodified_engaged / unmodified_reached::double precision, expired_engaged / expired_reached::double precision
    FROM counted
    LEFT JOIN timed USING (place, app_version)
    ORDER BY place, nullif(app_version, '') NULLS LAST
  $query$, runs)
  USING app_number, starts, period.from_at, period.to_at, labels, near;
END $$;
