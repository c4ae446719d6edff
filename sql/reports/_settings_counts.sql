-- Devices by what their setting became, and what it was before: what the report settings counts.
--
-- `bounds` are where states are read; slot 0 is the first of them. `state` is '' where the snapshot does not say, `previous` null
-- where there was no snapshot before.
--
-- Without nested loops: of an app that statistics do not know yet, each snapshot would meet each device.
CREATE OR REPLACE FUNCTION reporting.settings_counts(app_number integer, setting text, filters jsonb, bounds timestamptz[])
RETURNS TABLE (slot integer, state text, previous text, devices bigint)
LANGUAGE sql STABLE ROWS 100 SET jit = off SET enable_nestloop = off AS $$
  WITH snapshot AS (
    -- Where a snapshot is first read: the first bound past it. Of several, the last stands.
    SELECT DISTINCT ON (p.device_id, slot) p.device_id, width_bucket(p.first_at, bounds) AS slot,
      coalesce(p.value->>setting, '') AS state
    FROM projection.device_period p
    WHERE p.app_id = app_number AND p.series = 'settings' AND p.first_at < bounds[cardinality(bounds)]
      AND (filters - 'authorization_status' = '{}' OR p.device_id IN (
        SELECT d.device_id FROM reporting.devices(app_number, filters, bounds[cardinality(bounds)]) d))
      AND (NOT filters ? 'authorization_status' OR p.device_id IN (
        SELECT n.device_id
        FROM (
          SELECT DISTINCT ON (n.device_id) n.device_id, n.value->>'authorization_status' AS status
          FROM projection.device_period n
          WHERE n.app_id = app_number AND n.series = 'settings' AND n.first_at < bounds[cardinality(bounds)]
          ORDER BY n.device_id, n.first_at DESC, n.first_id DESC
        ) n
        WHERE reporting.matches(coalesce(n.status, 'unknown'), filters, 'authorization_status')))
    ORDER BY p.device_id, slot, p.first_at DESC, p.first_id DESC
  ), step AS (
    SELECT slot, state, lag(state) OVER (PARTITION BY device_id ORDER BY slot) AS previous FROM snapshot
  )
  SELECT slot, state, previous, count(*) FROM step WHERE state IS DISTINCT FROM previous GROUP BY 1, 2, 3
$$;
