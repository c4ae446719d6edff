-- First responses to notifications, and dismissals, within the time to respond: what the report engagement counts of them.
--
-- The first arguments are those of reporting.engagement_counts, and `per` is the report's. `late` is the time to respond in
-- latency buckets. `key` is the place of the group in `kept_1` and `kept_2`, the values of its dimensions, or one more than they have
-- for all other groups. `timed` are the responses in the latency buckets `latencies`, with as many in each as `latency_responses`
-- says; null where there were none. A latency can be there several times.
CREATE OR REPLACE FUNCTION reporting.engagement_response_counts(
  app_number integer, starts timestamptz[], cuts timestamptz[], grains text[], dimensions text[], dimension text, per text,
  late integer, kept_1 text[], kept_2 text[], filters jsonb)
RETURNS TABLE (
  slot integer, key integer, engaged bigint, engaged_open bigint, engaged_act bigint, engaged_reply bigint, engaged_app bigint,
  dismissed_timely bigint, timed bigint, latencies integer[], latency_responses bigint[])
LANGUAGE plpgsql STABLE SET jit = off SET enable_seqscan = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
-- Without sequential scans, as the planner cannot know how little the edges of the range are; and without nested loops,
-- but where nothing else is possible, as it cannot know how many keys there are.
DECLARE
  ranges record := reporting.ranges(cuts, grains);
BEGIN
  RETURN QUERY EXECUTE format($query$
    WITH range AS MATERIALIZED (
      SELECT * FROM unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) AS r (grain, from_at, to_at)
    ), key AS MATERIALIZED (
      SELECT by_1, by_2, key::integer FROM unnest($12::text[], $13::text[]) WITH ORDINALITY AS k (by_1, by_2, key)
    ), response AS MATERIALIZED (
      SELECT slot, coalesce(k.key, cardinality($12) + 1) AS key, outcome, app_opened,
        CASE WHEN timed AND outcome <> 'dismissed' THEN latency END AS latency, sum(responses)::bigint AS responses
      FROM (
        SELECT width_bucket(e.bucket, $3) AS slot, reporting.rollup_key($10, 1, e.category, e.value) AS by_1,
          reporting.rollup_key($10, 2, e.category, e.value) AS by_2, outcome, app_opened, timed, latency,
          sum(responses) AS responses
        FROM range r
        CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
          SELECT * FROM projection.engagement_latency e
          WHERE e.app_id = $1 AND e.dimension = $2 AND e.grain = r.grain AND e.bucket >= r.from_at AND e.bucket < r.to_at
          OFFSET 0
        ) e
        WHERE e.latency < $7 AND (e.reached OR $8 <> 'reached') AND reporting.matches(e.category, $11, 'category')
          AND reporting.matches(e.value, $11, $2)
        GROUP BY 1, 2, 3, 4, 5, 6, 7
        UNION ALL
        SELECT width_bucket(n.cohort_at, $3), %1$s, %2$s, w.outcome, w.app_opened, shown_at IS NOT NULL,
          projection.latency_bucket(coalesce(shown_at, cohort_at), w.at, $9) AS latency, count(*)
        FROM range r
        %4$s
        CROSS JOIN LATERAL (
          VALUES (CASE WHEN opened THEN 'opened' WHEN acted THEN 'acted' ELSE 'replied' END, n.app_opened, responded_at,
            responded AND NOT response_only AND (reached_seen OR reached_assumed OR $8 <> 'reached')),
          ('dismissed', false, dismissed_at, dismissed AND dismiss_observable)
        ) AS w (outcome, app_opened, at, is_so)
        WHERE r.grain = 'none' AND (responded OR dismissed) AND w.is_so AND %3$s
        GROUP BY 1, 2, 3, 4, 5, 6, 7
      ) part
      LEFT JOIN key k USING (by_1, by_2)
      WHERE latency < $7
      GROUP BY 1, 2, 3, 4, 5
    )
    SELECT slot, key, coalesce(sum(responses) FILTER (WHERE outcome <> 'dismissed'), 0)::bigint,
      coalesce(sum(responses) FILTER (WHERE outcome = 'opened'), 0)::bigint,
      coalesce(sum(responses) FILTER (WHERE outcome = 'acted'), 0)::bigint,
      coalesce(sum(responses) FILTER (WHERE outcome = 'replied'), 0)::bigint,
      coalesce(sum(responses) FILTER (WHERE app_opened), 0)::bigint,
      coalesce(sum(responses) FILTER (WHERE outcome = 'dismissed'), 0)::bigint,
      sum(responses) FILTER (WHERE latency IS NOT NULL)::bigint, array_agg(latency) FILTER (WHERE latency IS NOT NULL),
      array_agg(responses) FILTER (WHERE latency IS NOT NULL)
    FROM response
    GROUP BY 1, 2
  $query$, reporting.dimension_key(dimensions, 1), reporting.dimension_key(dimensions, 2),
    reporting.row_filter(filters, reporting.notification_dimensions(app_number), '$11'), reporting.rows_of_ranges(grains <> '{}'))
  USING app_number, dimension, starts, ranges.grains, ranges.froms, ranges.tos, late, per, projection.latency_bounds(), dimensions,
    filters, kept_1, kept_2;
END $$;
