-- The names of tables that a version and the one in use both have.
CREATE OR REPLACE FUNCTION projection.shared_tables(version text) RETURNS SETOF text
LANGUAGE sql STABLE AS $$
  SELECT v.relname::text
  FROM pg_class v
  JOIN pg_class s ON s.relname = v.relname AND s.relnamespace = 'projection'::regnamespace AND s.relkind = v.relkind
  WHERE v.relnamespace = version::regnamespace AND v.relkind = 'r'
  ORDER BY v.relname
$$;
