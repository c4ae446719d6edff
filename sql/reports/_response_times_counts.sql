-- How long notifications were followed, and how that ended: what the report response_times counts, one row per value of the dimensions
-- ('' for null), time `t` and outcome. `t` are microseconds since shown_at, until the first outcome, the window's end or as_of, whatever
-- comes first; `outcome` is null where none came until then. For notifications as old as the window `t` is the middle of a latency
-- bucket, or the window's end; for younger ones it is exact. `dismissals_told` says whether iOS reports dismissals of any of them.
CREATE OR REPLACE FUNCTION reporting.response_times_counts(
  app_number integer, dimensions text[], from_at timestamptz, to_at timestamptz, "window" interval, filters jsonb, as_of timestamptz)
RETURNS TABLE (by_1 text, by_2 text, t bigint, outcome text, notifications bigint, dismissals_told boolean)
LANGUAGE plpgsql STABLE ROWS 10000 SET jit = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
DECLARE
  asked      record := reporting.window_buckets("window");
  late       bigint := asked.microseconds;
  bounds     bigint[] := projection.outcome_bounds(asked.bounds);
  middles    bigint[];   -- what a latency counts as, by the number of its bucket
  whole_from timestamptz;   -- the days that cohort_outcome answers
  whole_to   timestamptz;
  followed_to timestamptz := date_bin('1 day', as_of - "window", 'epoch');   -- up to it all that was shown was followed for the whole window
  has_endings boolean := reporting.has_column('projection.notification', 'removed_at');
  rollup     text := '';
BEGIN
  SELECT array_agg(CASE number WHEN 1 THEN 0 ELSE sqrt(low::double precision * high)::bigint END ORDER BY number) INTO middles
  FROM (SELECT number, lag(bound) OVER (ORDER BY number) AS low, bound AS high FROM unnest(bounds) WITH ORDINALITY AS b (bound, number)) bucket;
  IF to_regclass('projection.cohort_outcome') IS NOT NULL AND dimensions <@ '{category}' AND filters - 'category' = '{}'
    AND late = ANY (bounds) THEN
    SELECT r.from_at, r.to_at INTO whole_from, whole_to
    FROM reporting.rollup_ranges(ARRAY[from_at, to_at], '{day}') r
    WHERE r.grain = 'day';
  END IF;
  IF whole_from IS NULL THEN
    whole_from := to_at;
    whole_to := to_at;
  ELSE
    rollup := $query$
      UNION ALL
      SELECT CASE WHEN $12 = '{category}' THEN category ELSE '' END, '',
        CASE WHEN is_ended THEN $11[latency + 1] ELSE $4 END, CASE WHEN is_ended THEN outcome END, is_observable,
        notifications, NULL
      FROM (
        SELECT c.category, c.outcome, c.latency, sum(c.notifications)::double precision AS notifications,
          sum(c.dismiss_observable) > 0 AS is_observable, c.outcome <> '' AND c.latency < array_position($10, $4) AS is_ended
        FROM projection.cohort_outcome c
        WHERE c.app_id = $1 AND c.bucket >= $7 AND c.bucket < $8 AND c.shown_day < $9
          AND reporting.matches(c.category, $13, 'category')
        GROUP BY 1, 2, 3
      ) c
      $query$;
  END IF;

  RETURN QUERY EXECUTE format($query$
    SELECT by_1, by_2, t, outcome, sum(n)::bigint, bool_or(dismiss_observable)
    FROM (
      SELECT by_1, by_2,
        CASE
          WHEN ended_at <= known_at AND shown_at <= $6 THEN least($11[width_bucket(took - 1, $10) + 1], $4)
          WHEN ended_at <= known_at THEN took
          WHEN shown_at <= $6 THEN $4
          ELSE (date_part('epoch', $5 - shown_at) * 1000000)::bigint
        END AS t,
        CASE
          WHEN ended_at IS NULL OR ended_at > known_at THEN NULL
          WHEN ended_at = responded_at THEN action
          WHEN ended_at = dismissed_at THEN 'dismissed'
          WHEN ended_at = removed_at THEN 'withdrawn'
          ELSE 'gone'
        END AS outcome, dismiss_observable, 1::double precision AS n,
        -- A volatile column keeps the planner from knowing better: by the columns that t is made of it takes nearly
        -- every notification for one of its own kind, and sorts them all.
        clock_timestamp()
      FROM (
        SELECT *, greatest((date_part('epoch', ended_at - shown_at) * 1000000)::bigint, 0) AS took
        FROM (
          SELECT %1$s AS by_1, %2$s AS by_2, n.dismiss_observable,
            CASE WHEN n.opened THEN 'opened' WHEN n.replied THEN 'replied' ELSE 'acted' END AS action, n.responded_at, n.dismissed_at,
            %4$s.removed_at, least(n.responded_at, n.dismissed_at, %4$s.removed_at, %4$s.gone_at) AS ended_at,
            n.shown_at, least($5, n.shown_at + $4 * interval '1 microsecond') AS known_at
          FROM (   -- outside the days of the rollup; in them those that it does not count, found by their cohort or, if late, otherwise
            SELECT * FROM projection.notification n WHERE n.app_id = $1 AND n.cohort_at >= $2 AND n.cohort_at < $7
            UNION ALL
            SELECT * FROM projection.notification n WHERE n.app_id = $1 AND n.cohort_at >= $8 AND n.cohort_at < $3
            UNION ALL
            SELECT *
            FROM projection.notification n
            WHERE n.app_id = $1 AND n.cohort_at >= greatest($7, $9 - interval '24 hours') AND n.cohort_at < $8
              AND n.shown_at >= $9 AND n.shown_at - n.cohort_at < interval '24 hours'
            UNION ALL
            SELECT *
            FROM projection.notification n
            WHERE n.app_id = $1 AND n.cohort_at >= $7 AND n.cohort_at < $8 AND n.shown_at >= $9
              AND n.shown_at - n.cohort_at >= interval '24 hours'
          ) n
          %5$s
          WHERE (n.reached_seen OR n.reached_assumed) AND n.shown_at <= $5 AND %3$s
        ) ending
      ) followed
      %6$s
    ) one
    GROUP BY by_1, by_2, t, outcome
  $query$, reporting.dimension_key(dimensions, 1), reporting.dimension_key(dimensions, 2),
    reporting.row_filter(filters, reporting.notification_dimensions(app_number), '$13'), CASE WHEN has_endings THEN 'n' ELSE 'e' END,
    CASE WHEN NOT has_endings THEN
      'LEFT JOIN (SELECT * FROM projection.notification_ending WHERE app_id = $1 AND (removed_at IS NOT NULL OR gone_at IS NOT NULL)) e
       USING (device_id, notification_id, occurrence)' END, rollup)
  USING app_number, from_at, to_at, late, as_of, as_of - "window", whole_from, whole_to, followed_to, bounds, middles, dimensions, filters;
END $$;
