-- The bucket of projection.latency_bounds, `bounds`, that the time from one moment to another lies in.
CREATE OR REPLACE FUNCTION projection.latency_bucket(from_at timestamptz, to_at timestamptz, bounds bigint[]) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT width_bucket((extract(epoch FROM greatest(to_at - from_at, '0')) * 1000000)::bigint - 1, bounds)
$$;
