-- The periods of devices around keys of snapshots, each under the number of its device. Of each series these are the last that begins
-- before a key, at most `most` of those that begin from there to another key, and the first that begins after that. Bounded by time alone
-- they would be all that begin at one time, of which a device can have any number. Of the version that is being applied, whatever release
-- made it.
CREATE OR REPLACE FUNCTION projection.periods_around(
  apps integer[], devices text[], from_ats timestamptz[], from_ids uuid[], to_ats timestamptz[], to_ids uuid[], most bigint)
RETURNS TABLE (ordinal integer, series text, first_at timestamptz, first_id uuid, last_at timestamptz, last_id uuid, value jsonb)
LANGUAGE sql STABLE AS $$
  SELECT d.ordinal, p.series, p.first_at, p.first_id, p.last_at, p.last_id, p.value
  FROM (
    SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(devices) AS device,
      unnest(from_ats) AS from_at, unnest(from_ids) AS from_id, unnest(to_ats) AS to_at, unnest(to_ids) AS to_id
  ) d
  CROSS JOIN (VALUES ('context'), ('settings')) AS s (series)
  CROSS JOIN LATERAL (   -- LIMIT makes it one index scan each
    (SELECT * FROM device_period p
      WHERE (p.app_id, p.device_id, p.series) = (d.app, d.device, s.series) AND (p.first_at, p.first_id) < (d.from_at, d.from_id)
      ORDER BY p.first_at DESC, p.first_id DESC LIMIT 1)
    UNION ALL
    (SELECT * FROM device_period p
      WHERE (p.app_id, p.device_id, p.series) = (d.app, d.device, s.series)
        AND (p.first_at, p.first_id) >= (d.from_at, d.from_id) AND (p.first_at, p.first_id) <= (d.to_at, d.to_id)
      ORDER BY p.first_at, p.first_id LIMIT most)
    UNION ALL
    (SELECT * FROM device_period p
      WHERE (p.app_id, p.device_id, p.series) = (d.app, d.device, s.series) AND (p.first_at, p.first_id) > (d.to_at, d.to_id)
      ORDER BY p.first_at, p.first_id LIMIT 1)
  ) p
$$;
