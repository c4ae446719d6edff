-- projection: engagement
-- with: notification
-- after: notification

-- Upper bounds of the latency buckets in microseconds: no two neighbours further apart than a tenth, and the windows
-- that reports answer exactly (1 h, 6 h, 1, 3, 7 and 30 days) are bounds. Bucket n holds bounds[n] < latency <= bounds[n + 1].
CREATE OR REPLACE FUNCTION latency_bounds() RETURNS bigint[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  WITH segment (low, high) AS (
    VALUES (1e5, 3600e6), (3600e6, 21600e6), (21600e6, 86400e6), (86400e6, 259200e6), (259200e6, 604800e6),
      (604800e6, 2592000e6), (2592000e6, 34560000e6)
  ), step AS (
    SELECT low, high, ceil(ln(high / low) / ln(1.1))::integer AS steps FROM segment
  )
  SELECT array_agg(bound ORDER BY bound)
  FROM (
    SELECT 100000::bigint AS bound
    UNION
    SELECT round(low * power(high / low, n::numeric / steps))::bigint FROM step, generate_series(1, steps) AS n
  ) bounds
$$;
