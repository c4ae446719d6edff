-- Notifications by category ('' for none) and interval (`slot` is its number); intervals begin at `starts` and end at `to_at`.
-- Counts those known, reached, reached and responded to (of whole buckets only with `counts_responses`: they are in many rows), and
-- known only by their response or dismissal. Whole buckets come from the rollup, if it has the filters' dimensions.
CREATE OR REPLACE FUNCTION reporting.category_counts(
  app_number integer, starts timestamptz[], to_at timestamptz, filters jsonb, counts_responses boolean DEFAULT false)
RETURNS TABLE (slot integer, category text, notifications bigint, reached bigint, responded bigint, response_only bigint)
LANGUAGE plpgsql STABLE ROWS 100 SET jit = off SET enable_seqscan = off SET work_mem = '64MB' AS $$
-- Without sequential scans, as the planner cannot know how little the edges of the range are.
DECLARE
  accepted constant text[] := reporting.notification_dimensions(app_number);
  used     text[] := ARRAY(SELECT jsonb_object_keys(filters) EXCEPT SELECT 'category');
  grains   text[] := reporting.engagement_grains(app_number, used);
  ranges   record;
BEGIN
  ranges := reporting.ranges(starts || to_at, grains);
  RETURN QUERY EXECUTE format($query$
    WITH range AS MATERIALIZED (
      SELECT * FROM unnest($3::text[], $4::timestamptz[], $5::timestamptz[]) AS r (grain, from_at, to_at)
    )
    SELECT slot, category, sum(notifications)::bigint, sum(reached)::bigint, sum(responded)::bigint, sum(response_only)::bigint
    FROM (
      SELECT width_bucket(e.bucket, $2) AS slot, e.category, sum(e.notifications) AS notifications,
        sum(e.reached) AS reached, 0 AS responded, sum(e.response_only) AS response_only
      FROM range r
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.engagement e
        WHERE e.app_id = $1 AND e.dimension = $6 AND e.grain = r.grain AND e.bucket >= r.from_at AND e.bucket < r.to_at
        OFFSET 0
      ) e
      WHERE reporting.matches(e.category, $7, 'category') AND reporting.matches(e.value, $7, $6)
      GROUP BY 1, 2
      UNION ALL
      SELECT width_bucket(e.bucket, $2), e.category, 0, 0, sum(e.responses), 0
      FROM range r
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.engagement_latency e
        WHERE e.app_id = $1 AND e.dimension = $6 AND e.grain = r.grain AND e.bucket >= r.from_at AND e.bucket < r.to_at
        OFFSET 0
      ) e
      WHERE $8 AND e.reached AND e.outcome <> 'dismissed' AND reporting.matches(e.category, $7, 'category')
        AND reporting.matches(e.value, $7, $6)
      GROUP BY 1, 2
      UNION ALL
      SELECT width_bucket(n.cohort_at, $2), coalesce(n.category, ''), count(*),
        count(*) FILTER (WHERE reached_seen OR reached_assumed),
        count(*) FILTER (WHERE n.responded AND (reached_seen OR reached_assumed)),
        count(*) FILTER (WHERE n.response_only)
      FROM range r
      %2$s
      WHERE r.grain = 'none' AND %1$s
      GROUP BY 1, 2
    ) part
    GROUP BY 1, 2
  $query$, reporting.row_filter(filters, accepted, '$7'), reporting.rows_of_ranges(grains <> '{}'))
  USING app_number, starts, ranges.grains, ranges.froms, ranges.tos, coalesce(used[1], ''), filters,
    counts_responses;
END $$;
