-- Notifications reached by weekday and hour, and their responses: what the report heatmap counts.
--
-- `tz` is whose clocks tell weekday and hour; null for each device's own time zone. Both are null where that is unknown. `engaged`
-- counts the responses that came within `late`, the time to respond; `immature` those for which there is still time. `slot` is the
-- number of `late` among the windows that the rollup answers, null if it does not.
CREATE OR REPLACE FUNCTION reporting.heatmap_counts(
  app_number integer, from_at timestamptz, to_at timestamptz, tz text, late interval, slot integer, filters jsonb, as_of timestamptz)
RETURNS TABLE (weekday integer, hour integer, reached bigint, responded bigint, engaged bigint, immature bigint)
LANGUAGE plpgsql STABLE ROWS 169 SET jit = off SET enable_seqscan = off SET work_mem = '64MB' AS $$
-- Without sequential scans, as the planner cannot know how little the edges of the range are.
DECLARE
  accepted constant text[] := reporting.notification_dimensions(app_number) || '{time_zone}'::text[];
  ranges   record;
  rollup   text := '';
BEGIN
  IF filters = '{}' AND slot IS NOT NULL AND to_regclass('projection.cohort_zone') IS NOT NULL THEN
    rollup := $query$
      SELECT CASE WHEN $2 IS NULL THEN c.time_zone ELSE '' END, c.bucket, sum(c.notifications),
        coalesce(sum(c.notifications) FILTER (WHERE c.within > 0), 0),
        coalesce(sum(c.notifications) FILTER (WHERE c.within BETWEEN 1 AND $8), 0),
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
    (SELECT array_agg(cut) FROM unnest(ARRAY[from_at, as_of - late + interval '1 microsecond', to_at]) AS cut
      WHERE cut BETWEEN from_at AND to_at),
    CASE WHEN rollup <> '' THEN '{quarter_hour}'::text[] ELSE '{}' END);
  RETURN QUERY EXECUTE format($query$
    WITH range AS MATERIALIZED (
      SELECT * FROM unnest($3::text[], $4::timestamptz[], $5::timestamptz[]) AS r (grain, from_at, to_at)
    ), quarter (zone, at, reached, responded, engaged, immature) AS MATERIALIZED (   -- no zone is off by less than a quarter of an hour
      %2$s
      SELECT CASE WHEN $2 IS NULL THEN coalesce(n.time_zone, '') ELSE '' END, date_bin('15 minutes', n.cohort_at, 'epoch'),
        count(*), count(*) FILTER (WHERE n.responded),
        count(*) FILTER (WHERE n.responded_at - coalesce(n.shown_at, n.cohort_at) <= $6),
        count(*) FILTER (WHERE n.cohort_at > $7 - $6)
      FROM range r
      JOIN projection.notification n ON n.app_id = $1 AND n.cohort_at >= r.from_at AND n.cohort_at < r.to_at
      WHERE r.grain = 'none' AND (n.reached_seen OR n.reached_assumed) AND %1$s
      GROUP BY 1, 2
    ), zone AS MATERIALIZED (
      SELECT z.zone, coalesce($2, reporting.known_time_zone(nullif(z.zone, ''))) AS known
      FROM (SELECT DISTINCT q.zone FROM quarter q) z
    )
    SELECT extract(isodow FROM q.at AT TIME ZONE z.known)::integer, extract(hour FROM q.at AT TIME ZONE z.known)::integer,
      sum(q.reached)::bigint, sum(q.responded)::bigint, sum(q.engaged)::bigint, sum(q.immature)::bigint
    FROM quarter q
    JOIN zone z USING (zone)
    GROUP BY 1, 2
  $query$, reporting.row_filter(filters, accepted, '$9'), rollup)
  USING app_number, tz, ranges.grains, ranges.froms, ranges.tos, late, as_of, slot, filters;
END $$;
