-- Notifications by stage, by the values of at most two dimensions: what the report engagement counts.
--
-- `slot` is the number of the interval; intervals begin at `starts`. `cuts` are where ranges of whole buckets must end: the range
-- itself, its intervals, and `young`, from which on those reached are immature. `grains` are the rollup's buckets that can answer, and
-- `dimension` is the one that rows or filters need besides category, '' for none. `by_1` and `by_2` are '' where the notification
-- carried none, and where there is no such dimension. A group can have several rows.
CREATE OR REPLACE FUNCTION reporting.engagement_counts(
  app_number integer, starts timestamptz[], cuts timestamptz[], grains text[], dimensions text[], dimension text, young timestamptz,
  filters jsonb)
RETURNS TABLE (
  slot integer, by_1 text, by_2 text, requested bigint, failed bigint, reached bigint, reached_seen bigint, reached_assumed bigint,
  delivered bigint, presented bigint, suppressed bigint, silent bigint, responded bigint, opened bigint, acted bigint, replied bigint,
  app_opened bigint, dismissed bigint, withdrawn bigint, response_only bigint, delivered_seen bigint, presented_seen bigint,
  dismiss_observable bigint, delivery_observable bigint, delivery_observed bigint, updates bigint, duplicate_callbacks bigint,
  immature bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_seqscan = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
-- Without sequential scans, as the planner cannot know how little the edges of the range are; and without nested loops,
-- but where nothing else is possible, as it cannot know how many groups there are.
DECLARE
  ranges record := reporting.ranges(cuts, grains);
BEGIN
  RETURN QUERY EXECUTE format($query$
    WITH range AS MATERIALIZED (
      SELECT * FROM unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) AS r (grain, from_at, to_at)
    )
    SELECT width_bucket(e.bucket, $3) AS slot, reporting.rollup_key($8, 1, e.category, e.value) AS by_1,
      reporting.rollup_key($8, 2, e.category, e.value) AS by_2,
      %5$s,
      coalesce(sum(reached) FILTER (WHERE e.bucket >= $7), 0)::bigint AS immature
    FROM range r
    CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
      SELECT * FROM projection.engagement e
      WHERE e.app_id = $1 AND e.dimension = $2 AND e.grain = r.grain AND e.bucket >= r.from_at AND e.bucket < r.to_at
      OFFSET 0
    ) e
    WHERE reporting.matches(e.category, $9, 'category') AND reporting.matches(e.value, $9, $2)
    GROUP BY 1, 2, 3
    UNION ALL
    SELECT width_bucket(n.cohort_at, $3), %1$s, %2$s,
      count(*) FILTER (WHERE requested), count(*) FILTER (WHERE failed),
      count(*) FILTER (WHERE reached_seen OR reached_assumed), count(*) FILTER (WHERE reached_seen),
      count(*) FILTER (WHERE reached_assumed), count(*) FILTER (WHERE delivered), count(*) FILTER (WHERE presented),
      count(*) FILTER (WHERE suppressed), count(*) FILTER (WHERE silent), count(*) FILTER (WHERE responded),
      count(*) FILTER (WHERE opened), count(*) FILTER (WHERE acted), count(*) FILTER (WHERE replied),
      count(*) FILTER (WHERE app_opened), count(*) FILTER (WHERE dismissed), count(*) FILTER (WHERE withdrawn),
      count(*) FILTER (WHERE response_only), count(*) FILTER (WHERE delivery_at IS NOT NULL),
      count(*) FILTER (WHERE showed), count(*) FILTER (WHERE dismiss_observable),
      count(*) FILTER (WHERE delivery_observable), count(*) FILTER (WHERE delivery_observable AND delivered),
      sum(greatest(requests - 1, 0)), sum(duplicate_callbacks),
      count(*) FILTER (WHERE (reached_seen OR reached_assumed) AND cohort_at >= $7)
    FROM range r
    %4$s
    WHERE r.grain = 'none' AND %3$s
    GROUP BY 1, 2, 3
  $query$, reporting.dimension_key(dimensions, 1), reporting.dimension_key(dimensions, 2),
    reporting.row_filter(filters, reporting.notification_dimensions(app_number), '$9'), reporting.rows_of_ranges(grains <> '{}'),
    reporting.engagement_sums())
  USING app_number, dimension, starts, ranges.grains, ranges.froms, ranges.tos, young, dimensions, filters;
END $$;

-- The sums of what the rollup engagement counts, of several rows.
CREATE OR REPLACE FUNCTION reporting.engagement_sums() RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(format('sum(%1$I)::bigint AS %1$I', name), ', ' ORDER BY ordinal)
  FROM unnest('{requested,failed,reached,reached_seen,reached_assumed,delivered,presented,suppressed,silent,responded,opened,acted,
    replied,app_opened,dismissed,withdrawn,response_only,delivered_seen,presented_seen,dismiss_observable,delivery_observable,
    delivery_observed,updates,duplicate_callbacks}'::text[]) WITH ORDINALITY AS c (name, ordinal)
$$;

-- The value of the first or second of some dimensions in a row of a rollup, which has the category and the value of one
-- more; '' where there is no such dimension.
CREATE OR REPLACE FUNCTION reporting.rollup_key(dimensions text[], place integer, category text, value text)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN place > cardinality(dimensions) THEN ''
    WHEN dimensions[place] = 'category' THEN category ELSE value END
$$;
