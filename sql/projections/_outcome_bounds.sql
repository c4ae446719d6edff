-- Upper bounds of the buckets of cohort_outcome in microseconds: those of latency_bounds, and the ends of periods in the report
-- response_times. No two neighbours are further apart than a tenth. Bucket n holds bounds[n] < latency <= bounds[n + 1].
CREATE OR REPLACE FUNCTION projection.outcome_bounds(latency_bounds bigint[]) RETURNS bigint[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_agg(bound ORDER BY bound)
  FROM (SELECT unnest(latency_bounds) AS bound UNION SELECT unnest('{60000000,300000000,900000000,7776000000000}'::bigint[])) bounds
$$;
