-- Notifications reached, and first responses to them by how soon they came, in each of some stretches of time: `slot` is the
-- number of a stretch, from starts[slot] to ends[slot]. By category and by the value of one more dimension ('' for null), or
-- by category alone where `dimension` is ''. A row without `within` counts those reached, and says the first and last UTC day
-- of all in its group; one with it counts the responses within that many latency buckets: the least of `buckets`, which ascend,
-- that is enough. Responses that take more than the greatest are in no row. Whole buckets come from the rollup, if it has the
-- filters' dimensions.
CREATE OR REPLACE FUNCTION reporting.engaged_counts(
  app_number integer, starts timestamptz[], ends timestamptz[], dimension text, filters jsonb, buckets integer[])
RETURNS TABLE (
  slot integer, category text, value text, within integer, counted bigint, first_day timestamptz, last_day timestamptz)
LANGUAGE plpgsql STABLE ROWS 1000 SET jit = off SET enable_seqscan = off SET enable_sort = off SET work_mem = '64MB' AS $$
-- Without sequential scans, as the planner cannot know how little the edges of the range are; without sorts where hashes do, as it
-- cannot know how many values there are.
DECLARE
  accepted constant text[] := reporting.notification_dimensions(app_number);
  used     text[] := ARRAY(SELECT jsonb_object_keys(filters) UNION SELECT dimension EXCEPT VALUES ('category'), (''));
  grains   text[] := reporting.engagement_grains(app_number, used);
  ranges   record;
BEGIN
  SELECT array_agg(s.slot::integer) AS slots, array_agg(r.grain) AS grains, array_agg(r.from_at) AS froms, array_agg(r.to_at) AS tos INTO ranges
  FROM unnest(starts, ends) WITH ORDINALITY AS s (from_at, to_at, slot)
  CROSS JOIN LATERAL reporting.rollup_ranges(ARRAY[s.from_at, s.to_at], grains) r
  WHERE s.from_at < s.to_at;
  RETURN QUERY EXECUTE format($query$
    WITH range AS MATERIALIZED (
      SELECT * FROM unnest($2::integer[], $3::text[], $4::timestamptz[], $5::timestamptz[]) AS r (slot, grain, from_at, to_at)
    ), single AS MATERIALIZED (
      SELECT r.slot, coalesce(n.category, '') AS category, %1$s AS value, n.cohort_at,
        n.reached_seen OR n.reached_assumed AS reached,
        CASE WHEN n.responded AND NOT n.response_only AND (n.reached_seen OR n.reached_assumed)
          THEN projection.latency_bucket(coalesce(n.shown_at, n.cohort_at), n.responded_at, $7) END AS latency
      FROM range r
      %3$s
      WHERE r.grain = 'none' AND %2$s
    )
    SELECT slot, category, value, within, sum(counted)::bigint, min(first_day), max(last_day)
    FROM (
      SELECT r.slot, e.category, CASE WHEN $9 THEN e.value ELSE '' END AS value, NULL::integer AS within,
        e.reached AS counted, date_trunc('day', e.bucket, 'UTC') AS first_day,
        date_trunc('day', e.bucket, 'UTC') AS last_day
      FROM range r
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.engagement e
        WHERE e.app_id = $1 AND e.dimension = $6 AND e.grain = r.grain AND e.bucket >= r.from_at AND e.bucket < r.to_at
        OFFSET 0
      ) e
      WHERE e.notifications > 0 AND reporting.matches(e.category, $8, 'category') AND reporting.matches(e.value, $8, $6)
      UNION ALL
      SELECT r.slot, e.category, CASE WHEN $9 THEN e.value ELSE '' END, $10[width_bucket(e.latency, $10) + 1], e.responses, NULL, NULL
      FROM range r
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.engagement_latency e
        WHERE e.app_id = $1 AND e.dimension = $6 AND e.grain = r.grain AND e.bucket >= r.from_at AND e.bucket < r.to_at
        OFFSET 0
      ) e
      WHERE e.reached AND e.outcome <> 'dismissed' AND e.latency < $11 AND reporting.matches(e.category, $8, 'category')
        AND reporting.matches(e.value, $8, $6)
      UNION ALL
      SELECT slot, category, value, NULL, reached::integer, date_trunc('day', cohort_at, 'UTC'), date_trunc('day', cohort_at, 'UTC')
      FROM single
      UNION ALL
      SELECT slot, category, value, $10[width_bucket(latency, $10) + 1], 1, NULL, NULL FROM single WHERE latency < $11
    ) part
    GROUP BY 1, 2, 3, 4
  $query$,
    CASE WHEN dimension IN ('', 'category') THEN '''''' ELSE reporting.dimension(dimension) END,
    reporting.row_filter(filters, accepted, '$8'),
    reporting.rows_of_ranges(grains <> '{}'))
  USING app_number, ranges.slots, ranges.grains, ranges.froms, ranges.tos, coalesce(used[1], ''),
    projection.latency_bounds(), filters, dimension NOT IN ('', 'category'), buckets, buckets[cardinality(buckets)];
END $$;
