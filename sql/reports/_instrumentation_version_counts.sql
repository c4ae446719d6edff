-- Devices by version of the app, '' where they say none: by these the report instrumentation compares versions. `here` are those
-- heard of on it in the range.
--
-- `firsts` are when the first devices were first heard of on the version, in order: so many in a thousand of its devices, at
-- least 20.
CREATE OR REPLACE FUNCTION reporting.instrumentation_version_counts(
  app_number integer, from_at timestamptz, to_at timestamptz, filters jsonb, in_thousand integer)
RETURNS TABLE (version text, devices bigint, here bigint, firsts timestamptz[])
LANGUAGE plpgsql STABLE ROWS 100 SET jit = off SET enable_nestloop = off SET enable_mergejoin = off SET enable_sort = off SET work_mem = '64MB' AS $$
BEGIN
  RETURN QUERY EXECUTE format($query$
    WITH %s
    SELECT version, count(*), count(*) FILTER (WHERE is_here),
      (array_agg(first_at ORDER BY first_at))[:greatest(20, count(*) * $5 / 1000 + 1)]
    FROM spell
    GROUP BY version
  $query$, reporting.instrumentation_heard())
  USING app_number, from_at, to_at, filters, in_thousand;
END $$;
