-- The buckets of the rollup engagement that can answer by dimensions beside category: it has one at most, by days alone.
CREATE OR REPLACE FUNCTION reporting.engagement_grains(app_number integer, dimensions text[]) RETURNS text[]
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN dimensions = '{}' THEN '{quarter_hour,day}'::text[]
    WHEN cardinality(dimensions) = 1 AND NOT dimensions && reporting.row_dimensions(app_number) THEN '{day}' ELSE '{}' END
$$;
