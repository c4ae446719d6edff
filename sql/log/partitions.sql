-- The partitions of log.event with the receipt times that they hold, oldest first.
CREATE OR REPLACE FUNCTION log.partitions(OUT name text, OUT from_at timestamptz, OUT to_at timestamptz)
RETURNS SETOF record
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' AS $$
  SELECT c.relname::text, bounds[1]::timestamptz, bounds[2]::timestamptz
  FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid,
    regexp_match(pg_get_expr(c.relpartbound, c.oid), $re$FROM \('(.+)'\) TO \('(.+)'\)$re$) AS bounds
  WHERE i.inhparent = 'log.event'::regclass
  ORDER BY 2
$$;

-- The number of whole months after this one with partitions, without a gap; -1 if this month has none.
CREATE OR REPLACE FUNCTION log.months_ahead(at timestamptz DEFAULT now()) RETURNS integer
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' AS $$
  SELECT (count(*) - 1)::integer
  FROM (
    SELECT from_at, date_trunc('month', at) + (row_number() OVER (ORDER BY from_at) - 1) * interval '1 month' AS month
    FROM log.partitions()
    WHERE to_at > at
  ) ahead
  WHERE from_at = month
$$;
