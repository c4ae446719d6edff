-- report: extensions
-- purpose: What notification service extensions did with pushes: one row per app version, and per interval if requested. An
--   update of a notification runs the extension again, and each run counts. A row `other` sums everything beyond `limit`.
-- reads: notification, cohort_event, extension
-- by rows: runs of service extensions on days of UTC that an interval covers in part; all with filters other than app_version,
--   or with another window than PT1H, PT6H, P1D, P3D, P7D and P30D
--
-- parameter: interval
-- parameter: from
-- parameter: to
-- parameter: tz
-- parameter: window
-- parameter: mature
-- parameter: limit | How many app versions have rows of their own: those with the most runs over the whole range; all others
--   share one row, `other`
-- filters: $notification_dimensions
-- table: interval_start, app_version, runs, modified, expired, filtered, attachments_failed, duration_p50, duration_p99,
--   modified_engagement_rate, expired_engagement_rate, unmodified
-- in window: responded_in_window, modified_responded_in_window, unmodified_responded_in_window,
--   expired_responded_in_window
-- growing: none
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: app_version | text | | The device's; null if unknown
-- column: other | boolean | | True in the row of all app versions beyond `limit`
-- column: runs | bigint | events | Runs of extensions
-- column: modified | bigint | events | Runs that changed the content
-- column: unmodified | bigint | events | Runs that left it unchanged
-- column: expired | bigint | events | Runs ended by the system (serviceExtensionTimeWillExpire): shown unchanged
-- column: filtered | bigint | events | Runs that suppressed it
-- column: unstated | bigint | events | Runs with an unknown outcome
-- column: attachments_loaded | bigint | attachments | Loaded; null if no run reported it
-- column: attachments_failed | bigint | attachments | Not loaded; null if no run reported it
-- column: attachments_tried | bigint | attachments | `attachments_loaded` and `attachments_failed`; null if no run reported
--   failures
-- column: attachment_failure_rate | double precision | fraction | `attachments_failed` ÷ `attachments_tried`
-- column: duration_p50 | double precision | seconds | Median length of a run, of those that reported it
-- column: duration_p99 | double precision | seconds | 99th percentile of the same
-- column: reached | bigint | events | Runs for notifications that were reached
-- column: responded_in_window | bigint | events | Of `reached`, those whose notification was responded to within window
-- column: engagement_rate | double precision | fraction | `responded_in_window` ÷ `reached`
-- column: modified_reached | bigint | events | Of `reached`, runs that changed the content
-- column: modified_responded_in_window | bigint | events | Of `responded_in_window`, runs that changed the content
-- column: modified_engagement_rate | double precision | fraction | `modified_responded_in_window` ÷ `modified_reached`
-- column: unmodified_reached | bigint | events | Of `reached`, runs that changed nothing
-- column: unmodified_responded_in_window | bigint | events | Of `responded_in_window`, runs that changed nothing
-- column: unmodified_engagement_rate | double precision | fraction | `unmodified_responded_in_window` ÷ `unmodified_reached`
-- column: expired_reached | bigint | events | Of `reached`, runs that were ended by the system
-- column: expired_responded_in_window | bigint | events | Of `responded_in_window`, runs that were ended by the system
-- column: expired_engagement_rate | double precision | fraction | `expired_responded_in_window` ÷ `expired_reached`
CREATE OR REPLACE FUNCTION report.extensions(
  app text, "interval" text DEFAULT 'none', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', "window" interval DEFAULT '72 hours', mature boolean DEFAULT false, filters jsonb DEFAULT '{}',
  "limit" integer DEFAULT 1000, as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, app_version text, other boolean, runs bigint, modified bigint, unmodified bigint,
  expired bigint, filtered bigint, unstated bigint, attachments_loaded bigint, attachments_failed bigint,
  attachments_tried bigint, attachment_failure_rate double precision, duration_p50 double precision,
  duration_p99 double precision, reached bigint, responded_in_window bigint, engagement_rate double precision,
  modified_reached bigint, modified_responded_in_window bigint, modified_engagement_rate double precision,
  unmodified_reached bigint, unmodified_responded_in_window bigint, unmodified_engagement_rate double precision,
  expired_reached bigint, expired_responded_in_window bigint, expired_engagement_rate double precision, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app);
  app_number integer := reporting.app_id(app);
  near       interval := (reporting.window_buckets("window")).length;
  period     record;
  conditions text;
  runs       text;   -- of extensions
  counted    text := '';   -- those that rollups have, and how long they took
  durations  text := '';
  ranges     record;   -- those that rollups answer, and the edges
  window_number integer := reporting.window_slot("window");
  is_counted boolean;
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.divided_period("interval", "from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  conditions := reporting.row_filter(filters, accepted, '$12');
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  is_counted := filters - 'app_version' = '{}' AND window_number IS NOT NULL
    AND to_regclass('projection.cohort_extension_count') IS NOT NULL;
  ranges := reporting.ranges(period.starts || period.to_at, CASE WHEN is_counted THEN '{day}' ELSE '{}'::text[] END);
  IF filters - 'app_version' = '{}' AND to_regclass('projection.cohort_extension') IS NOT NULL THEN
    runs := format($query$
      SELECT reporting.slot(n.cohort_at, $2) AS slot, coalesce(n.app_version, '') AS app_version, n.outcome,
        n.duration_ms, n.attachments_loaded, n.attachments_failed, n.reached,
        coalesce(n.reached AND n.latency <= $6, false) AS engaged
      FROM unnest($8::text[], $9::timestamptz[], $10::timestamptz[]) AS r (grain, from_at, to_at)
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_extension n
        WHERE n.app_id = $1 AND n.cohort_at >= r.from_at AND n.cohort_at < r.to_at
        OFFSET 0
      ) n
      WHERE r.grain = 'none' AND %s$query$, conditions);
  ELSE
    runs := format($query$
      SELECT reporting.slot(n.cohort_at, $2) AS slot, coalesce(n.app_version, '') AS app_version, e.outcome,
        e.duration_ms, e.attachments_loaded, e.attachments_failed, n.reached_seen OR n.reached_assumed AS reached,
        (n.reached_seen OR n.reached_assumed) AND coalesce(n.responded_at <= coalesce(n.shown_at, n.cohort_at) + $6, false) AS engaged
      FROM projection.notification_extension e
      JOIN projection.notification n USING (app_id, device_id, notification_id, occurrence)
      WHERE e.app_id = $1 AND n.cohort_at >= $3 AND n.cohort_at < $4 AND %s$query$, conditions);
  END IF;

  IF is_counted THEN
    counted := $query$
      UNION ALL
      SELECT width_bucket(n.bucket, $2), n.app_version, nullif(n.outcome, ''), n.reached, n.reached AND n.within BETWEEN 1 AND $11, sum(n.runs),
        sum(n.attachments_loaded), sum(n.loaded_runs), sum(n.attachments_failed), sum(n.failed_runs)
      FROM unnest($8::text[], $9::timestamptz[], $10::timestamptz[]) AS r (grain, from_at, to_at)
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_extension_count n WHERE n.app_id = $1 AND n.bucket >= r.from_at AND n.bucket < r.to_at OFFSET 0
      ) n
      WHERE r.grain = 'day' AND reporting.matches(n.app_version, $12, 'app_version')
      GROUP BY 1, 2, 3, 4, 5$query$;
    durations := $query$
      UNION ALL
      SELECT width_bucket(n.bucket, $2), n.app_version, n.duration_ms, n.runs
      FROM unnest($8::text[], $9::timestamptz[], $10::timestamptz[]) AS r (grain, from_at, to_at)
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_extension_duration n WHERE n.app_id = $1 AND n.bucket >= r.from_at AND n.bucket < r.to_at OFFSET 0
      ) n
      WHERE r.grain = 'day' AND reporting.matches(n.app_version, $12, 'app_version')$query$;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH run AS MATERIALIZED (
      %1$s
    ), alike AS MATERIALIZED (   -- as many as differ in nothing that matters
      SELECT slot, app_version, outcome, reached, engaged, count(*) AS runs, sum(attachments_loaded) AS loaded,
        count(attachments_loaded) AS loaded_runs, sum(attachments_failed) AS failed, count(attachments_failed) AS failed_runs
      FROM run
      GROUP BY 1, 2, 3, 4, 5
      %3$s
    ), %2$s, folded AS MATERIALIZED (
      SELECT a.*, k.key FROM alike a JOIN key k USING (app_version)
    ), timed AS (
      SELECT slot, key, min(duration_ms) FILTER (WHERE upto >= ceil(0.5 * total::double precision)) AS p50,
        min(duration_ms) FILTER (WHERE upto >= ceil(0.99::double precision * total::double precision)) AS p99
      FROM (
        SELECT slot, key, duration_ms, sum(sum(runs)) OVER (PARTITION BY slot, key ORDER BY duration_ms) AS upto,
          sum(sum(runs)) OVER (PARTITION BY slot, key) AS total
        FROM (
          SELECT slot, app_version, duration_ms, count(*) AS runs FROM run WHERE duration_ms IS NOT NULL GROUP BY 1, 2, 3
          %4$s
        ) one
        JOIN key USING (app_version)
        GROUP BY 1, 2, 3
      ) histogram
      GROUP BY 1, 2
    ), counted AS (
      SELECT slot, key, sum(runs)::bigint AS runs,
        coalesce(sum(runs) FILTER (WHERE outcome = 'modified'), 0)::bigint AS modified,
        coalesce(sum(runs) FILTER (WHERE outcome = 'unmodified'), 0)::bigint AS unmodified,
        coalesce(sum(runs) FILTER (WHERE outcome = 'expired'), 0)::bigint AS expired,
        coalesce(sum(runs) FILTER (WHERE outcome = 'filtered'), 0)::bigint AS filtered,
        coalesce(sum(runs) FILTER (WHERE outcome IS NULL), 0)::bigint AS unstated,
        CASE WHEN sum(loaded_runs) > 0 THEN sum(loaded)::bigint END AS loaded,
        CASE WHEN sum(failed_runs) > 0 THEN sum(failed)::bigint END AS failed,
        CASE WHEN sum(failed_runs) > 0 THEN (coalesce(sum(loaded), 0) + sum(failed))::bigint END AS tried,
        coalesce(sum(runs) FILTER (WHERE reached), 0)::bigint AS reached,
        coalesce(sum(runs) FILTER (WHERE engaged), 0)::bigint AS engaged,
        coalesce(sum(runs) FILTER (WHERE reached AND outcome = 'modified'), 0)::bigint AS modified_reached,
        coalesce(sum(runs) FILTER (WHERE engaged AND outcome = 'modified'), 0)::bigint AS modified_engaged,
        coalesce(sum(runs) FILTER (WHERE reached AND outcome = 'unmodified'), 0)::bigint AS unmodified_reached,
        coalesce(sum(runs) FILTER (WHERE engaged AND outcome = 'unmodified'), 0)::bigint AS unmodified_engaged,
        coalesce(sum(runs) FILTER (WHERE reached AND outcome = 'expired'), 0)::bigint AS expired_reached,
        coalesce(sum(runs) FILTER (WHERE engaged AND outcome = 'expired'), 0)::bigint AS expired_engaged
      FROM folded
      GROUP BY 1, 2
    )
    SELECT $5[slot], nullif(k.app_version, ''), key > $7, runs, modified, unmodified, expired, filtered, unstated, loaded, failed,
      tried, failed / nullif(tried, 0)::double precision, p50 / 1000.0::double precision, p99 / 1000.0::double precision,
      reached, engaged, engaged / nullif(reached, 0)::double precision,
      modified_reached, modified_engaged, modified_engaged / nullif(modified_reached, 0)::double precision,
      unmodified_reached, unmodified_engaged, unmodified_engaged / nullif(unmodified_reached, 0)::double precision,
      expired_reached, expired_engaged, expired_engaged / nullif(expired_reached, 0)::double precision,
      (SELECT count(*) FROM key)
    FROM counted
    LEFT JOIN timed USING (slot, key)
    LEFT JOIN (SELECT * FROM key WHERE key <= $7) k USING (key)
    ORDER BY slot, key > $7, nullif(k.app_version, '') NULLS LAST
  $query$, runs, reporting.keys('alike', '{app_version}', 'runs', '$7'), counted, durations)
  USING app_number, period.starts, period.from_at, period.to_at, period.labels, near, "limit", ranges.grains,
    ranges.froms, ranges.tos, window_number, filters;
END $$;
