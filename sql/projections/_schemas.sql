-- Every schema that holds rows of projections: the serving versions, those built beside them, the baseline, and what a
-- swap has replaced and not yet dropped. What rewrites rows (erasure) has to do it in each.
CREATE OR REPLACE FUNCTION projection.schemas() RETURNS SETOF text
LANGUAGE sql STABLE AS $$
  SELECT nspname::text
  FROM pg_namespace
  WHERE nspname IN ('projection', 'baseline') OR nspname ~ '^projection_(next|verify|old)_'
  ORDER BY nspname <> 'projection', nspname
$$;
