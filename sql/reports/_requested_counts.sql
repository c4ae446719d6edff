-- How many notifications were requested in some stretches of time, by the values of one or two dimensions, '' for null: by these an
-- app's own dimensions keep the most requested values. Read by row, as what is counted by own dimensions is.
CREATE OR REPLACE FUNCTION reporting.requested_counts(
  app_number integer, starts timestamptz[], ends timestamptz[], dimensions text[], filters jsonb)
RETURNS TABLE (by_1 text, by_2 text, requested bigint)
LANGUAGE plpgsql STABLE ROWS 1000 SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  accepted constant text[] := reporting.notification_dimensions(app_number);
BEGIN
  RETURN QUERY EXECUTE format($query$
    SELECT %1$s, %2$s, count(*)
    FROM unnest($2, $3) AS r (from_at, to_at)
    %3$s
    WHERE n.requested AND %4$s
    GROUP BY 1, 2
  $query$, reporting.dimension_key(dimensions, 1), reporting.dimension_key(dimensions, 2), reporting.rows_of_ranges(false),
    reporting.row_filter(filters, accepted, '$4'))
  USING app_number, starts, ends, filters;
END $$;
