-- The part of a FROM clause that joins to each `r` of some ranges its notifications, as `n`; for queries whose first
-- parameter is the app. Where a rollup answers the rest (`edges`), the ranges are short, which the planner cannot know: it
-- would rather read every notification of the app. OFFSET keeps it to one index scan a range.
CREATE OR REPLACE FUNCTION reporting.rows_of_ranges(edges boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN edges
    THEN 'CROSS JOIN LATERAL (
      SELECT * FROM projection.notification n WHERE n.app_id = $1 AND n.cohort_at >= r.from_at AND n.cohort_at < r.to_at OFFSET 0) n'
    ELSE 'JOIN projection.notification n ON n.app_id = $1 AND n.cohort_at >= r.from_at AND n.cohort_at < r.to_at' END
$$;
