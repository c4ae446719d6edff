-- report: reachability
-- purpose: How the settings in force let notifications reach people, from a banner to nothing at all: one row per value of the
--   dimensions in `by` and class, and per interval if requested. It covers alerting notifications that were requested and are
--   due, each in the first class that applies. The settings are the newest that the device had sent at cohort_at. Focus is never
--   known: it may keep back any of them. Rows beyond `limit` are together in `other`.
-- reads: notification, cohort, device_token, log
-- by rows: dimensions other than category, filters by them, windows other than 1 and 6 h, 1, 3, 7 and 30 days, and the edges of
--   days of UTC: notifications, each one; pushes to tokens that ended, of a table of their own
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
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
-- Without nested loops, but where nothing else is possible, as the planner cannot know how many keys there are.
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app);
  app_number integer := reporting.app_id(app);
  dimensions text[] := reporting.dimensions("by", accepted);
  late       interval := (reporting.window_buckets("window")).length;
  period     record;
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.divided_period("interval", "from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  PERFORM reporting.filters(filters, accepted);
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH part AS MATERIALIZED (
      SELECT * FROM reporting.reachability_counts($3, $4, $5, $6, $7, $8, $9)
    ), %s, counted AS (
      SELECT p.slot, least(k.key, $2 + 1) AS key, p.class, sum(p.notifications)::bigint AS notifications,
        sum(p.reached)::bigint AS reached, sum(p.engaged)::bigint AS engaged
      FROM part p
      JOIN key k USING (by_1, by_2)
      GROUP BY 1, 2, 3
    )
    SELECT $1[slot], nullif(k.by_1, ''), nullif(k.by_2, ''), c.key > $2, c.class, c.notifications,
      c.notifications / (sum(c.notifications) OVER (PARTITION BY c.slot, c.key))::double precision, c.reached, c.engaged,
      c.engaged / nullif(c.reached, 0)::double precision, w.low, w.high, (SELECT count(*) FROM key)
    FROM counted c
    LEFT JOIN (SELECT * FROM key WHERE key <= $2) k USING (key)
    CROSS JOIN LATERAL reporting.wilson(c.engaged, nullif(c.reached, 0)) w
    ORDER BY c.slot, c.key > $2, nullif(k.by_1, '') COLLATE "C" NULLS LAST, nullif(k.by_2, '') COLLATE "C" NULLS LAST,
      array_position('{none,dead_token,unknown,summary_only,banner,lock_screen_only,list_only,badge_or_sound_only}', c.class)
  $query$, reporting.keys('part', '{by_1,by_2}', 'notifications', '$2'))
  USING period.labels, "limit", app_number, dimensions, period.starts, period.from_at, period.to_at, late, filters;
END $$;
