-- What a latency bucket reads as, in seconds: the geometric mean of its bounds, which is within 5 % of all that it
-- holds. The first bucket, up to 0.1 s, reads as 0: shorter than clocks of two machines tell.
CREATE OR REPLACE FUNCTION reporting.latency_seconds(bucket integer, bounds bigint[]) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN bucket = 0 THEN 0 ELSE sqrt(bounds[bucket]::double precision * bounds[bucket + 1]) / 1e6 END
$$;
