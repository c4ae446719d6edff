-- The tables of a schema that holds versions of groups, each with its columns; and the names of objects that were made with a
-- version and are gone, without columns.
CREATE OR REPLACE FUNCTION projection.table_columns(version text) RETURNS TABLE (name text, columns text[])
LANGUAGE sql STABLE AS $$
  SELECT c.relname::text, array_agg(a.attname::text)
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = to_regnamespace(version) AND c.relkind IN ('r', 'p')
  GROUP BY c.oid
  UNION ALL
  SELECT o.name, NULL
  FROM projection.version v
  CROSS JOIN LATERAL unnest(v.objects) AS o (name)
  WHERE v.schema_name = version AND to_regclass(format('%I.%I', version, o.name)) IS NULL
$$;
