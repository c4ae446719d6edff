-- The SQL expression of the first or second dimension in a row of notification: '' for null, or where there is none.
CREATE OR REPLACE FUNCTION reporting.dimension_key(dimensions text[], place integer) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN place <= cardinality(dimensions) THEN reporting.dimension(dimensions[place]) ELSE '''''::text' END
$$;
