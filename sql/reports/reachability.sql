-- report: reachability
-- purpose: How the settings in force let notifications reach people, from a banner to nothing at all: one row per value of the
--   dimensions in `by` and class, and per interval if requested. It covers alerting notifications that were requested and are
--   due, each in the first class that applies. The settings are the newest that the device had sent at cohort_at. Focus is never
--   known: it may keep back any of them. Rows beyond `limit` are together in `other`.
-- reads: notification, device_token, log
-- by rows: dimensions other than category, filters by them, windows other than 1 and 6 h, 1, 3, 7 and 30 days, and the edges of
--   days of UTC: notifications, each one; pushes to tokens that ended, as long as the log has their requests
--
-- parameter: by | The groups whose classes are counted
-- parameter: interval
-- parameter: from
-- parameter: to
-- parameter: tz
-- parameter: window | Time to respond: `engaged` counts responses within it
-- parameter: mature
-- parameter: limit | How many groups have rows of their own: those with the most notifications over the whole range; all others
--   are counted as one group, `other`
-- filters: $notification_dimensions
-- table: interval_start, by_1, by_2, class, notifications, share, reached, engaged, engagement_rate
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: by_1 | text | | The first dimension; null if the notification carried none
-- column: by_2 | text | | The second dimension; null if the notification carried none
-- column: other | boolean | | True in the rows of all groups beyond `limit`; their dimensions are null
-- column: class | text | | none (denied, not determined, or everything turned off), dead_token (a push to tokens that had all
--   ended), unknown (no settings, or one that decides is absent), summary_only (kept for the scheduled summary), banner,
--   lock_screen_only, list_only (Notification Center), badge_or_sound_only
-- column: notifications | bigint | notifications | Alerting, requested and due, of this class
-- column: share | double precision | fraction | Share of those of the group and interval
-- column: reached | bigint | notifications | Of them reached, as in `engagement`
-- column: engaged | bigint | notifications | Of `reached`, responded to within window
-- column: engagement_rate | double precision | fraction | `engaged` ÷ `reached`
-- column: engagement_rate_low | double precision | fraction | Lower bound of its 95 % interval (Wilson), which assumes
--   independent notifications
-- column: engagement_rate_high | double precision | fraction | Upper bound of the same
CREATE OR REPLACE FUNCTION report.reachability(
  app text, "by" text[] DEFAULT '{category}', "interval" text DEFAULT 'none', "from" text DEFAULT NULL,
  "to" text DEFAULT NULL, tz text DEFAULT 'UTC', "window" interval DEFAULT '72 hours', mature boolean DEFAULT false, filters jsonb DEFAULT '{}',
  "limit" integer DEFAULT 1000, as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, by_1 text, by_2 text, other boolean, class text, notifications bigint, share double precision,
  reached bigint, engaged bigint, engagement_rate double precision, engagement_rate_low double precision,
  engagement_rate_high double precision, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_seqscan = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
-- Without sequential scans, as the planner cannot know how little the edges of the range are; and without nested loops,
-- but where nothing else is possible, as it cannot know how many keys there are.
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app);
  app_number integer := reporting.app_id(app);
  dimensions text[] := reporting.dimensions("by", accepted);
  late       interval := (reporting.window_buckets("window")).length;
  slot       integer := reporting.window_slot("window");   -- of the window, where the rollup answers it
  period     record;
  conditions text;
  ranges     record;
  rollup     text := '';
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.divided_period("interval", "from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  conditions := reporting.row_filter(filters, accepted, '$8');
  IF period.starts IS NULL THEN
    RETURN;
  END IF;
  IF dimensions <@ '{category}' AND filters - 'category' = '{}' AND slot IS NOT NULL
    AND to_regclass('projection.cohort_reach') IS NOT NULL THEN
    rollup := format($query$
      UNION ALL
      SELECT width_bucket(c.bucket, $2), reporting.rollup_key($9, 1, c.category, ''), reporting.rollup_key($9, 2, c.category, ''),
        c.class, sum(c.notifications)::bigint, sum(c.reached)::bigint, sum(c.%I)::bigint
      FROM range r
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_reach c WHERE c.app_id = $1 AND c.bucket >= r.from_at AND c.bucket < r.to_at OFFSET 0
      ) c
      WHERE r.grain = 'day' AND reporting.matches(c.category, $8, 'category')
      GROUP BY 1, 2, 3, 4
      $query$, ('{within_1h,within_6h,within_1d,within_3d,within_7d,within_30d}'::text[])[slot]);
  END IF;
  ranges := reporting.ranges(period.starts || period.to_at, CASE WHEN rollup <> '' THEN '{day}'::text[] ELSE '{}' END);

  RETURN QUERY EXECUTE format($query$
    WITH range AS MATERIALIZED (
      SELECT * FROM unnest($10::text[], $11::timestamptz[], $12::timestamptz[]) AS r (grain, from_at, to_at)
    ), edge AS MATERIALIZED (   -- by sort of settings: the class is found once for each, not for each notification
      SELECT reporting.slot(n.cohort_at, $2) AS slot, %1$s AS by_1, %2$s AS by_2, %3$s AS settings,
        n.interruption_level AS level, count(*) AS notifications,
        count(*) FILTER (WHERE n.reached_seen OR n.reached_assumed) AS reached,
        count(*) FILTER (WHERE (n.reached_seen OR n.reached_assumed)
          AND n.responded_at - coalesce(n.shown_at, n.cohort_at) <= $6) AS engaged
      FROM range r
      %7$s
      WHERE r.grain = 'none' AND n.requested AND projection.is_alerting(n) AND %4$s
      GROUP BY 1, 2, 3, 4, 5
    ), dead AS MATERIALIZED (
      SELECT reporting.slot(n.cohort_at, $2) AS slot, %1$s AS by_1, %2$s AS by_2, %3$s AS settings,
        n.interruption_level AS level, (n.reached_seen OR n.reached_assumed)::integer AS reached,
        ((n.reached_seen OR n.reached_assumed)
          AND coalesce(n.responded_at - coalesce(n.shown_at, n.cohort_at) <= $6, false))::integer AS engaged
      FROM reporting.dead_pushes($1, $3, $4) d
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one look-up each
        SELECT * FROM projection.notification n
        WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = ($1, d.device_id, d.notification_id, d.occurrence)
        OFFSET 0
      ) n
      WHERE projection.is_alerting(n) AND %4$s
    ), part AS MATERIALIZED (
      SELECT slot, by_1, by_2, class, sum(notifications) AS notifications, sum(reached) AS reached, sum(engaged) AS engaged
      FROM (
        SELECT slot, by_1, by_2, reporting.reach_class(settings, level, false) AS class, notifications, reached, engaged
        FROM edge
        UNION ALL   -- a push to ended tokens is of another class than it would be otherwise
        SELECT slot, by_1, by_2, reporting.reach_class(settings, level, s.is_dead), s.sign, s.sign * reached, s.sign * engaged
        FROM dead
        CROSS JOIN (VALUES (false, -1), (true, 1)) AS s (is_dead, sign)
        %6$s
      ) every
      GROUP BY 1, 2, 3, 4
      HAVING sum(notifications) > 0
    ), %5$s, counted AS (
      SELECT p.slot, least(k.key, $7 + 1) AS key, p.class, sum(p.notifications)::bigint AS notifications,
        sum(p.reached)::bigint AS reached, sum(p.engaged)::bigint AS engaged
      FROM part p
      JOIN key k USING (by_1, by_2)
      GROUP BY 1, 2, 3
    )
    SELECT $5[slot], nullif(k.by_1, ''), nullif(k.by_2, ''), c.key > $7, c.class, c.notifications,
      c.notifications / (sum(c.notifications) OVER (PARTITION BY c.slot, c.key))::double precision, c.reached, c.engaged,
      c.engaged / nullif(c.reached, 0)::double precision, w.low, w.high, (SELECT count(*) FROM key)
    FROM counted c
    LEFT JOIN (SELECT * FROM key WHERE key <= $7) k USING (key)
    CROSS JOIN LATERAL reporting.wilson(c.engaged, nullif(c.reached, 0)) w
    ORDER BY c.slot, c.key > $7, nullif(k.by_1, '') NULLS LAST, nullif(k.by_2, '') NULLS LAST,
      array_position('{none,dead_token,unknown,summary_only,banner,lock_screen_only,list_only,badge_or_sound_only}', c.class)
  $query$, reporting.dimension_key(dimensions, 1), reporting.dimension_key(dimensions, 2), reporting.packed_settings(),
    conditions, reporting.keys('part', '{by_1,by_2}', 'notifications', '$7'), rollup, reporting.rows_of_ranges(true))
  USING app_number, period.starts, period.from_at, period.to_at, period.labels, late, "limit", filters, dimensions,
    ranges.grains, ranges.froms, ranges.tos;
END $$;
