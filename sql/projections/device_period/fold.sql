-- projection: device_period
-- with: notification

-- The numbers of the devices that ever sent a delivery from a service extension.
CREATE OR REPLACE FUNCTION device_extensions_known(apps integer[], devices text[]) RETURNS TABLE (ordinal integer)
LANGUAGE sql STABLE AS $$
  SELECT d.ordinal
  FROM (
    SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(devices) AS device
  ) d
  CROSS JOIN LATERAL (
    SELECT FROM device_extension e WHERE (e.app_id, e.device_id) = (d.app, d.device) OFFSET 0
  ) e
$$;

-- The snapshots of one series of each device between two times that were ever applied: of the log, and of what retention
-- has dropped. Settings between the times are read by an index of their own. Of contexts, which most events have, the
-- device's part of the log is read once, and only `data` of events between the times.
CREATE OR REPLACE FUNCTION device_snapshots(
  apps integer[], devices text[], are_contexts boolean[], from_ats timestamptz[], to_ats timestamptz[], upto bigint)
RETURNS TABLE (ordinal integer, at timestamptz, id uuid)
LANGUAGE sql STABLE AS $$
  WITH device AS (
    SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(devices) AS device,
      unnest(are_contexts) AS is_context, unnest(from_ats) AS from_at, unnest(to_ats) AS to_at
  )
  SELECT d.ordinal, e.effective_at, e.id
  FROM device d
  JOIN projection.applied(upto) e ON e.app_id = d.app AND e.device_id = d.device
    AND e.effective_at BETWEEN d.from_at AND d.to_at
  WHERE d.is_context AND e.data->'context' IS NOT NULL
  UNION ALL
  SELECT d.ordinal, e.effective_at, e.id
  FROM device d
  CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan each
    SELECT * FROM projection.applied(upto) e
    WHERE e.kind = 'settings' AND e.app_id = d.app AND e.device_id = d.device AND e.effective_at BETWEEN d.from_at AND d.to_at
    OFFSET 0
  ) e
  WHERE NOT d.is_context
  UNION ALL
  SELECT d.ordinal, x.at, x.id
  FROM device d
  JOIN baseline.kept_run r ON r.app_id = d.app AND r.device_id = d.device
    AND r.series = CASE WHEN d.is_context THEN 'context' ELSE 'settings' END
  CROSS JOIN LATERAL (VALUES (r.first_at, r.first_id), (r.last_at, r.last_id)) AS x (at, id)
  WHERE x.at BETWEEN d.from_at AND d.to_at
$$;

-- The most notifications of a device that a batch updates besides those of its events.
CREATE OR REPLACE FUNCTION device_rows() RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('notilog.device_rows', true), '')::integer, 1000)
$$;

-- The most notifications that a batch updates because events bear on them besides their own, all devices together.
CREATE OR REPLACE FUNCTION touched_rows() RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('notilog.touched_rows', true), '')::integer, 20000)
$$;

-- Puts devices with more notifications to update than that into device_walk, behind those that wait already.
CREATE OR REPLACE FUNCTION walk_devices(apps integer[], devices text[], erased boolean[], after bigint) RETURNS void
LANGUAGE sql AS $$
  -- An event set aside earlier and applied now lies before what the version has claimed: it holds back from here on.
  INSERT INTO device_walk AS w
  SELECT d.app, d.device, coalesce(nullif(current_setting('notilog.applied', true), '')::bigint, after), NULL::bigint,
    (SELECT coalesce(max(o.turn), 0) + 1 FROM device_walk o), '', timestamptz '-infinity', d.is_erased, d.is_erased
  FROM (SELECT unnest(apps) AS app, unnest(devices) AS device, unnest(erased) AS is_erased) d
  ON CONFLICT (app_id, device_id) DO UPDATE
  SET next_after = least(w.next_after, excluded.after_position), is_erased = w.is_erased OR excluded.is_erased
$$;
