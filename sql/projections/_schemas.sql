-- Every schema that holds rows of projections: the versions in use, those under construction, the baseline, and versions that a
-- swap has replaced and not yet dropped. Erasure rewrites rows in each of them.
CREATE OR REPLACE FUNCTION projection.schemas() RETURNS SETOF text
LANGUAGE sql STABLE AS $$
  SELECT nspname::text
  FROM pg_namespace
  WHERE nspname IN ('projection', 'baseline') OR nspname ~ '^projection_(next|verify|old)_'
  ORDER BY nspname <> 'projection', nspname
$$;
