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
  app_number integer := reporting.app_id(app);
  near       interval := (reporting.window_buckets("window")).length;
  period     record;
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.divided_period("interval", "from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  PERFORM reporting.filters(filters, reporting.notification_dimensions(app));
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH part AS MATERIALIZED (
      SELECT * FROM reporting.extensions_counts($1, $2, $3, $4, $5, $6)
    ), alike AS MATERIALIZED (
      SELECT * FROM part WHERE durations IS NULL
    ), %s, folded AS MATERIALIZED (
      SELECT a.*, k.key FROM alike a JOIN key k USING (app_version)
    ), timed AS (
      SELECT slot, key, min(duration_ms) FILTER (WHERE upto >= p50) AS p50, min(duration_ms) FILTER (WHERE upto >= p99) AS p99
      FROM (
        SELECT slot, key, d.duration_ms, sum(d.runs) OVER (PARTITION BY slot, key ORDER BY d.duration_ms) AS upto, r.p50, r.p99
        FROM part
        JOIN key USING (app_version)
        JOIN (   -- the ranks of the percentiles
          SELECT slot, key, ceil(0.5 * sum(runs)::double precision)::numeric AS p50,
            ceil(0.99::double precision * sum(runs)::double precision)::numeric AS p99
          FROM part
          JOIN key USING (app_version)
          WHERE durations IS NOT NULL
          GROUP BY 1, 2
        ) r USING (slot, key)
        CROSS JOIN LATERAL unnest(part.durations, part.duration_runs) AS d (duration_ms, runs)
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
    SELECT $7[slot], nullif(k.app_version, ''), key > $8, runs, modified, unmodified, expired, filtered, unstated, loaded, failed,
      tried, failed / nullif(tried, 0)::double precision, p50 / 1000.0::double precision, p99 / 1000.0::double precision,
      reached, engaged, engaged / nullif(reached, 0)::double precision,
      modified_reached, modified_engaged, modified_engaged / nullif(modified_reached, 0)::double precision,
      unmodified_reached, unmodified_engaged, unmodified_engaged / nullif(unmodified_reached, 0)::double precision,
      expired_reached, expired_engaged, expired_engaged / nullif(expired_reached, 0)::double precision,
      (SELECT count(*) FROM key)
    FROM counted
    LEFT JOIN timed USING (slot, key)
    LEFT JOIN (SELECT * FROM key WHERE key <= $8) k USING (key)
    ORDER BY slot, key > $8, nullif(k.app_version, '') COLLATE "C" NULLS LAST
  $query$, reporting.keys('alike', '{app_version}', 'runs', '$8'))
  USING app_number, period.starts, period.to_at, near, reporting.window_slot("window"), filters, period.labels, "limit";
END $$;
