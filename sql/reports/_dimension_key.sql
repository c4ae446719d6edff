-- The SQL expression of the first or second dimension in a row of notification: '' for null, or where there is none.
CREATE OR REPLACE FUNCTION reporting.dimension_key(dimensions text[], place integer) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN place <= cardinality(dimensions) THEN format('coalesce(n.%I, '''')', dimensions[place]) ELSE '''''::text' END
$$;
