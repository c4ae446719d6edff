-- The first periods of devices, of both series, each under the number of its device. Nearly every device has so few that these are
-- all of them, and one index scan a device finds them. Of the version that is being applied, whatever release made it.
CREATE OR REPLACE FUNCTION projection.first_device_periods(apps integer[], devices text[], most bigint)
RETURNS TABLE (ordinal integer, series text, first_at timestamptz, first_id uuid, last_at timestamptz, last_id uuid, value jsonb)
LANGUAGE sql STABLE AS $$
  SELECT d.ordinal, p.series, p.first_at, p.first_id, p.last_at, p.last_id, p.value
  FROM (
    SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(devices) AS device
  ) d
  CROSS JOIN LATERAL (
    SELECT * FROM device_period p
    WHERE (p.app_id, p.device_id) = (d.app, d.device)
    ORDER BY p.app_id, p.device_id, p.series, p.first_at, p.first_id
    LIMIT most
  ) p
$$;
