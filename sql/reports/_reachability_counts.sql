-- Alerting notifications by the class that the settings in force put them in: what the report reachability counts.
--
-- `starts` are where the intervals of the range start, `slot` their number from 1. `by_1` and `by_2` are the values of `dimensions`, ''
-- for null, or where there is no such dimension. `window` is the time to respond, its days of 24 hours.
CREATE OR REPLACE FUNCTION reporting.reachability_counts(
  app_number integer, dimensions text[], starts timestamptz[], from_at timestamptz, to_at timestamptz, "window" interval, filters jsonb)
RETURNS TABLE (slot integer, by_1 text, by_2 text, class text, notifications bigint, reached bigint, engaged bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_seqscan = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
-- Without sequential scans, as the planner cannot know how little the edges of the range are; and without nested loops,
-- but where nothing else is possible, as it cannot know how many notifications there are.
DECLARE
  conditions text := reporting.row_filter(filters, reporting.notification_dimensions(app_number), '$6');
  within     integer := reporting.window_slot("window");   -- where the rollup answers it
  ranges     record;
  rollup     text := '';
BEGIN
  IF dimensions <@ '{category}' AND filters - 'category' = '{}' AND within IS NOT NULL
    AND to_regclass('projection.cohort_reach') IS NOT NULL THEN
    rollup := format($query$
      UNION ALL
      SELECT width_bucket(c.bucket, $2), reporting.rollup_key($7, 1, c.category, ''), reporting.rollup_key($7, 2, c.category, ''),
        c.class, sum(c.notifications)::bigint, sum(c.reached)::bigint, sum(c.%I)::bigint
      FROM range r
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_reach c WHERE c.app_id = $1 AND c.bucket >= r.from_at AND c.bucket < r.to_at OFFSET 0
      ) c
      WHERE r.grain = 'day' AND reporting.matches(c.category, $6, 'category')
      GROUP BY 1, 2, 3, 4
      $query$, ('{within_1h,within_6h,within_1d,within_3d,within_7d,within_30d}'::text[])[within]);
  END IF;
  ranges := reporting.ranges(starts || to_at, CASE WHEN rollup <> '' THEN '{day}'::text[] ELSE '{}' END);

  RETURN QUERY EXECUTE format($query$
    WITH range AS MATERIALIZED (
      SELECT * FROM unnest($8::text[], $9::timestamptz[], $10::timestamptz[]) AS r (grain, from_at, to_at)
    ), edge AS MATERIALIZED (   -- by sort of settings: the class is found once for each, not for each notification
      SELECT reporting.slot(n.cohort_at, $2) AS slot, %1$s AS by_1, %2$s AS by_2, %3$s AS settings,
        n.interruption_level AS level, count(*) AS notifications,
        count(*) FILTER (WHERE n.reached_seen OR n.reached_assumed) AS reached,
        count(*) FILTER (WHERE (n.reached_seen OR n.reached_assumed)
          AND n.responded_at - coalesce(n.shown_at, n.cohort_at) <= $5) AS engaged
      FROM range r
      %6$s
      WHERE r.grain = 'none' AND n.requested AND projection.is_alerting(n) AND %4$s
      GROUP BY 1, 2, 3, 4, 5
    ), dead AS MATERIALIZED (
      SELECT reporting.slot(n.cohort_at, $2) AS slot, %1$s AS by_1, %2$s AS by_2, %3$s AS settings,
        n.interruption_level AS level, (n.reached_seen OR n.reached_assumed)::integer AS reached,
        ((n.reached_seen OR n.reached_assumed)
          AND coalesce(n.responded_at - coalesce(n.shown_at, n.cohort_at) <= $5, false))::integer AS engaged
      FROM reporting.dead_pushes($1, $3, $4) d
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one look-up each
        SELECT * FROM projection.notification n
        WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = ($1, d.device_id, d.notification_id, d.occurrence)
        OFFSET 0
      ) n
      WHERE projection.is_alerting(n) AND %4$s
    )
    SELECT slot, by_1, by_2, class, sum(notifications)::bigint, sum(reached)::bigint, sum(engaged)::bigint
    FROM (
      SELECT slot, by_1, by_2, reporting.reach_class(settings, level, false) AS class, notifications, reached, engaged
      FROM edge
      UNION ALL   -- a push to ended tokens is of another class than it would be otherwise
      SELECT slot, by_1, by_2, reporting.reach_class(settings, level, s.is_dead), s.sign, s.sign * reached, s.sign * engaged
      FROM dead
      CROSS JOIN (VALUES (false, -1), (true, 1)) AS s (is_dead, sign)
      %5$s
    ) every
    GROUP BY 1, 2, 3, 4
    HAVING sum(notifications) > 0
  $query$, reporting.dimension_key(dimensions, 1), reporting.dimension_key(dimensions, 2), reporting.packed_settings(),
    conditions, rollup, reporting.rows_of_ranges(true))
  USING app_number, starts, from_at, to_at, "window", filters, dimensions, ranges.grains, ranges.froms, ranges.tos;
END $$;
