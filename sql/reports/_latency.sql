-- projection.latency_bucket with the bounds at hand, so that they are not computed for every row.
CREATE OR REPLACE FUNCTION reporting.latency(from_at timestamptz, to_at timestamptz, bounds bigint[]) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT width_bucket((extract(epoch FROM greatest(to_at - from_at, '0')) * 1000000)::bigint - 1, bounds)
$$;
