-- Runs of service extensions by what came of them, and by how long they took: what the report extensions counts.
--
-- `slot` is the number of the interval; intervals begin at `starts` and end at `to_at`. `app_version` is '' where it is unknown. A row
-- without `durations` counts the runs of one `outcome`, null where it is unknown; `engaged` says that a response came within `near`,
-- and `loaded_runs` and `failed_runs` count the runs that said how many attachments were loaded, and how many were not. A row with
-- `durations` counts those that said how long they took once more: in milliseconds, as many of each as `duration_runs` says. A group
-- can have several rows. `window_number` is the number of `near` among the windows that the rollups answer, null if they do not.
CREATE OR REPLACE FUNCTION reporting.extensions_counts(
  app_number integer, starts timestamptz[], to_at timestamptz, near interval, window_number integer, filters jsonb)
RETURNS TABLE (
  slot integer, app_version text, outcome text, reached boolean, engaged boolean, runs bigint, loaded bigint, loaded_runs bigint,
  failed bigint, failed_runs bigint, durations integer[], duration_runs bigint[])
-- Without nested loops: of an app that statistics do not know yet, each run would meet each notification.
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
DECLARE
  conditions text := reporting.row_filter(filters, reporting.notification_dimensions(app_number), '$9');
  run        text;   -- runs of extensions
  counted    text := '';   -- those that rollups have, and how long they took
  durations  text := '';
  ranges     record;   -- those that rollups answer, and the edges
  is_counted boolean;
BEGIN
  is_counted := filters - 'app_version' = '{}' AND window_number IS NOT NULL
    AND to_regclass('projection.cohort_extension_count') IS NOT NULL;
  ranges := reporting.ranges(starts || to_at, CASE WHEN is_counted THEN '{day}' ELSE '{}'::text[] END);
  IF filters - 'app_version' = '{}' AND to_regclass('projection.cohort_extension') IS NOT NULL THEN
    run := format($query$
      SELECT reporting.slot(n.cohort_at, $2) AS slot, coalesce(n.app_version, '') AS app_version, n.outcome,
        n.duration_ms, n.attachments_loaded, n.attachments_failed, n.reached,
        coalesce(n.reached AND n.latency <= $7, false) AS engaged
      FROM unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) AS r (grain, from_at, to_at)
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_extension n
        WHERE n.app_id = $1 AND n.cohort_at >= r.from_at AND n.cohort_at < r.to_at
        OFFSET 0
      ) n
      WHERE r.grain = 'none' AND %s$query$, conditions);
  ELSE
    run := format($query$
      SELECT reporting.slot(n.cohort_at, $2) AS slot, coalesce(n.app_version, '') AS app_version, e.outcome,
        e.duration_ms, e.attachments_loaded, e.attachments_failed, n.reached_seen OR n.reached_assumed AS reached,
        (n.reached_seen OR n.reached_assumed) AND coalesce(n.responded_at <= coalesce(n.shown_at, n.cohort_at) + $7, false) AS engaged
      FROM projection.notification_extension e
      JOIN projection.notification n USING (app_id, device_id, notification_id, occurrence)
      WHERE e.app_id = $1 AND n.cohort_at >= $2[1] AND n.cohort_at < $3 AND %s$query$, conditions);
  END IF;

  IF is_counted THEN
    counted := $query$
      UNION ALL
      SELECT width_bucket(n.bucket, $2), n.app_version, nullif(n.outcome, ''), n.reached, n.reached AND n.within BETWEEN 1 AND $8,
        sum(n.runs)::bigint, sum(n.attachments_loaded)::bigint, sum(n.loaded_runs)::bigint, sum(n.attachments_failed)::bigint,
        sum(n.failed_runs)::bigint, NULL, NULL
      FROM unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) AS r (grain, from_at, to_at)
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_extension_count n WHERE n.app_id = $1 AND n.bucket >= r.from_at AND n.bucket < r.to_at OFFSET 0
      ) n
      WHERE r.grain = 'day' AND reporting.matches(n.app_version, $9, 'app_version')
      GROUP BY 1, 2, 3, 4, 5$query$;
    durations := $query$
      UNION ALL
      SELECT width_bucket(n.bucket, $2), n.app_version, n.duration_ms, n.runs
      FROM unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) AS r (grain, from_at, to_at)
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_extension_duration n WHERE n.app_id = $1 AND n.bucket >= r.from_at AND n.bucket < r.to_at OFFSET 0
      ) n
      WHERE r.grain = 'day' AND reporting.matches(n.app_version, $9, 'app_version')$query$;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH run AS MATERIALIZED (
      %1$s
    )
    SELECT slot, app_version, outcome, reached, engaged, count(*), sum(attachments_loaded), count(attachments_loaded),
      sum(attachments_failed), count(attachments_failed), NULL::integer[], NULL::bigint[]
    FROM run
    GROUP BY 1, 2, 3, 4, 5
    %2$s
    UNION ALL
    SELECT slot, app_version, NULL, NULL, NULL, sum(runs)::bigint, NULL, NULL, NULL, NULL, array_agg(duration_ms), array_agg(runs)
    FROM (
      SELECT slot, app_version, duration_ms, sum(runs)::bigint AS runs
      FROM (
        SELECT slot, app_version, duration_ms, 1 AS runs FROM run WHERE duration_ms IS NOT NULL
        %3$s
      ) one
      GROUP BY 1, 2, 3
    ) timed
    GROUP BY 1, 2
  $query$, run, counted, durations)
  USING app_number, starts, to_at, ranges.grains, ranges.froms, ranges.tos, near, window_number, filters;
END $$;
