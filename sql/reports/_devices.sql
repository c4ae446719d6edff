-- The devices with settings that match filters by platform, os_version, app_version and locale: by their latest context
-- before an instant, else their earliest; one without any context has no value of them.
CREATE OR REPLACE FUNCTION reporting.devices(app_number integer, filters jsonb, before timestamptz) RETURNS TABLE (device_id text)
LANGUAGE plpgsql STABLE ROWS 10000 SET plan_cache_mode = force_custom_plan AS $$
-- Planned each time, as reporting.matches wants.
BEGIN
  RETURN QUERY
  SELECT s.device_id
  FROM (
    SELECT DISTINCT p.device_id FROM projection.device_period p WHERE p.app_id = app_number AND p.series = 'settings'
  ) s
  LEFT JOIN (
    SELECT DISTINCT ON (p.device_id) p.device_id, p.value
    FROM projection.device_period p
    WHERE p.app_id = app_number AND p.series = 'context'
    ORDER BY p.device_id, p.first_at < before DESC, CASE WHEN p.first_at < before THEN p.first_at END DESC,
      CASE WHEN p.first_at < before THEN p.first_id END DESC, p.first_at, p.first_id
  ) d USING (device_id)
  WHERE reporting.matches(coalesce(d.value->>'platform', ''), filters, 'platform')
    AND reporting.matches(coalesce(d.value->>'os_version', ''), filters, 'os_version')
    AND reporting.matches(coalesce(d.value->>'app_version', ''), filters, 'app_version')
    AND reporting.matches(coalesce(d.value->>'locale', ''), filters, 'locale');
END $$;
