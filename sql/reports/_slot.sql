-- The number of the interval that a time is in, by where they start. Where there is one, the planner makes 1 of it, not
-- a search for each row.
CREATE OR REPLACE FUNCTION reporting.slot(at timestamptz, starts timestamptz[]) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN cardinality(starts) = 1 THEN 1 ELSE width_bucket(at, starts) END
$$;
