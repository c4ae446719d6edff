-- The CTEs of what devices said of their version of the app, for queries whose parameters $1 to $4 are an app's number, a range
-- and filters. They are of all of time.
CREATE OR REPLACE FUNCTION reporting.instrumentation_heard() RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT $query$heard AS MATERIALIZED (   -- events of a device that say one version, without another between
      SELECT device_id, version, first_at, last_at, next_at
      FROM (
        SELECT p.device_id, coalesce(p.value->>'app_version', '') COLLATE "C" AS version, p.first_at, p.last_at,
          lead(p.first_at) OVER (PARTITION BY p.device_id ORDER BY p.first_at, p.first_id) AS next_at,
          reporting.matches(coalesce(p.value->>'platform', ''), $4, 'platform')
            AND reporting.matches(coalesce(p.value->>'os_version', ''), $4, 'os_version')
            AND reporting.matches(coalesce(p.value->>'locale', ''), $4, 'locale') AS is_wanted
        FROM projection.device_period p
        WHERE p.app_id = $1 AND p.series = 'context'
      ) p
      WHERE is_wanted
    ), spell AS MATERIALIZED (   -- a device's time on a version
      SELECT device_id, version, min(first_at) AS first_at, max(last_at) AS last_at,
        CASE WHEN count(next_at) = count(*) THEN max(next_at) END AS next_at,
        bool_or(first_at < $3 AND last_at >= $2) AS is_here
      FROM heard
      GROUP BY device_id, version
    )$query$
$$;
