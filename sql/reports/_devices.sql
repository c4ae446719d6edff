-- The devices with settings that match filters by platform, os_version, app_version and locale: by their latest context
-- before an instant, else their earliest; one without any context has no value of them.
CREATE OR REPLACE FUNCTION reporting.devices(app_number integer, filters jsonb, before timestamptz) RETURNS TABLE (device_id text)
LANGUAGE plpgsql STABLE ROWS 10000 AS $$
BEGIN
  RETURN QUERY EXECUTE format($query$
    SELECT device_id
    FROM (
      SELECT DISTINCT p.device_id FROM projection.device_period p WHERE p.app_id = $1 AND p.series = 'settings'
    ) s
    LEFT JOIN (
      SELECT DISTINCT ON (p.device_id) p.device_id, p.value
      FROM projection.device_period p
      WHERE p.app_id = $1 AND p.series = 'context'
      ORDER BY p.device_id, p.first_at < $2 DESC, CASE WHEN p.first_at < $2 THEN p.first_at END DESC,
        CASE WHEN p.first_at < $2 THEN p.first_id END DESC, p.first_at, p.first_id
    ) d USING (device_id)
    WHERE %s
  $query$, reporting.filter(filters, '{"platform": "coalesce(d.value->>''platform'', '''')",
    "os_version": "coalesce(d.value->>''os_version'', '''')", "app_version": "coalesce(d.value->>''app_version'', '''')",
    "locale": "coalesce(d.value->>''locale'', '''')"}'))
  USING app_number, before;
END $$;
