-- Whether filters let a value of a dimension through, '' where there is none; any, where they do not name the
-- dimension.
--
-- Where the filters are a parameter that the planner knows, as it does under EXECUTE, it makes the comparison alone of
-- it, or nothing: for queries that are planned each time.
CREATE OR REPLACE FUNCTION reporting.matches(value text, filters jsonb, dimension text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT NOT filters ? dimension OR value = ANY (reporting.accepted(filters, dimension))
$$;

-- The values of a dimension that filters let through, '' for null. A type of tokens may have its older name, as in events.
CREATE OR REPLACE FUNCTION reporting.accepted(filters jsonb, dimension text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_agg(CASE WHEN (dimension, value) = ('type', 'live_activity') THEN 'activity_update' ELSE coalesce(value, '') END)
  FROM jsonb_array_elements_text(filters->dimension) AS value
$$;
