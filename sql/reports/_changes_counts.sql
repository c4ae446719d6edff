-- Notifications reached, and those of them responded to within so many latency buckets, by the values of dimensions ('' for null) and
-- the stretches of time from starts[slot] to ends[slot]: what the report changes counts. The dimension none has one value, ''.
CREATE OR REPLACE FUNCTION reporting.changes_counts(
  app_number integer, dimensions text[], starts timestamptz[], ends timestamptz[], buckets integer, filters jsonb)
RETURNS TABLE (dimension text, value text, slot integer, reached bigint, responded bigint)
LANGUAGE sql STABLE ROWS 1000 SET jit = off SET work_mem = '64MB' AS $$
  SELECT d.name, CASE d.name WHEN 'none' THEN '' WHEN 'category' THEN e.category ELSE e.value END, e.slot,
    (sum(e.counted) FILTER (WHERE e.within IS NULL))::bigint, (sum(e.counted) FILTER (WHERE e.within IS NOT NULL))::bigint
  FROM unnest(dimensions) AS d (name)
  CROSS JOIN LATERAL reporting.engaged_counts(app_number, starts, ends, replace(d.name, 'none', ''), filters, ARRAY[buckets]) e
  GROUP BY 1, 2, 3
$$;
