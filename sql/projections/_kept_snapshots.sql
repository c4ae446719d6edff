-- A snapshot inside a period of another value asks for those next to it. The log gives them: it has settings by time, contexts by
-- device alone. Where that would be more than a bound, the version that is applied gathers all snapshots of the device that it
-- has applied in projection.kept_snapshot, once, and adds those of later batches.

-- The most snapshots (of contexts: events of the device) that are read from the log for one series of a device in a batch.
CREATE OR REPLACE FUNCTION projection.device_events_bound() RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('notilog.device_events', true), '')::bigint, 10000)
$$;

-- The number of the version that is applied.
CREATE OR REPLACE FUNCTION projection.current_version() RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT v.version_id FROM projection.version v
  WHERE (v.schema_name, v.leader) = (current_schema()::text, current_setting('notilog.projection', true))
$$;

-- Whether any version keeps snapshots of any device: most stores have none.
CREATE OR REPLACE FUNCTION projection.keeps_snapshots() RETURNS boolean
LANGUAGE sql STABLE AS $$ SELECT EXISTS (SELECT FROM projection.kept_snapshot) $$;

-- The numbers of the devices whose snapshots are kept.
CREATE OR REPLACE FUNCTION projection.kept_devices(apps integer[], devices text[]) RETURNS TABLE (ordinal integer)
LANGUAGE sql STABLE AS $$
  SELECT d.ordinal
  FROM (
    SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(devices) AS device,
      (SELECT projection.current_version()) AS version
  ) d
  CROSS JOIN LATERAL (   -- LIMIT makes it one lookup each
    SELECT FROM projection.kept_snapshot k WHERE (k.app_id, k.device_id, k.version_id) = (d.app, d.device, d.version) LIMIT 1
  ) k
$$;

-- The numbers of the stretches whose snapshots are kept, or have to be, because the log would be read beyond the bound: the times
-- between which periods of a series of a device are split. No more of each is counted than the bound.
CREATE OR REPLACE FUNCTION projection.long_stretches(
  apps integer[], devices text[], are_contexts boolean[], from_ats timestamptz[], to_ats timestamptz[])
RETURNS TABLE (ordinal integer, is_kept boolean)
LANGUAGE sql STABLE AS $$
  SELECT d.ordinal, k.is_kept IS NOT NULL
  FROM (
    SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(devices) AS device,
      unnest(are_contexts) AS is_context, unnest(from_ats) AS from_at, unnest(to_ats) AS to_at,
      (SELECT projection.current_version()) AS version
  ) d
  LEFT JOIN LATERAL (
    SELECT true AS is_kept FROM projection.kept_snapshot k
    WHERE (k.app_id, k.device_id, k.version_id) = (d.app, d.device, d.version) LIMIT 1
  ) k ON true
  WHERE CASE WHEN k.is_kept THEN true ELSE (
    SELECT count(*) FROM (
      SELECT 1 FROM log.event e WHERE d.is_context AND (e.app_id, e.device_id) = (d.app, d.device)
      UNION ALL
      SELECT 1 FROM log.event e
      WHERE NOT d.is_context AND e.kind = 'settings' AND (e.app_id, e.device_id) = (d.app, d.device)
        AND e.effective_at BETWEEN d.from_at AND d.to_at
      UNION ALL
      SELECT 1 FROM baseline.kept_run r
      WHERE (r.app_id, r.device_id, r.series) = (d.app, d.device, CASE WHEN d.is_context THEN 'context' ELSE 'settings' END)
      LIMIT projection.device_events_bound() + 1) n
  ) > projection.device_events_bound() END
$$;

-- Gathers the snapshots of devices that were applied up to a position: of the log, and of what retention has dropped.
CREATE OR REPLACE FUNCTION projection.keep_devices(apps integer[], devices text[], upto bigint) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO projection.kept_snapshot (app_id, device_id, version_id, series, at, id)
  SELECT d.app, d.device, d.version, x.series, x.at, x.id
  FROM (SELECT unnest(apps) AS app, unnest(devices) AS device, (SELECT projection.current_version()) AS version) d
  CROSS JOIN LATERAL (
    SELECT s.series, e.effective_at AS at, e.id
    FROM projection.applied(upto) e
    CROSS JOIN LATERAL (
      VALUES ('context', e.data->'context' IS NOT NULL), ('settings', e.kind = 'settings')) AS s (series, is_there)
    WHERE e.app_id = d.app AND e.device_id = d.device AND s.is_there
    UNION ALL
    SELECT r.series, s.at, s.id
    FROM baseline.kept_run r
    CROSS JOIN LATERAL (VALUES (r.first_at, r.first_id), (r.last_at, r.last_id)) AS s (at, id)
    WHERE r.app_id = d.app AND r.device_id = d.device
  ) x
  ON CONFLICT DO NOTHING
$$;

-- Adds snapshots of devices that are kept.
CREATE OR REPLACE FUNCTION projection.keep_snapshots(
  apps integer[], devices text[], series text[], ats timestamptz[], ids uuid[]) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO projection.kept_snapshot (app_id, device_id, version_id, series, at, id)
  SELECT unnest(apps), unnest(devices), (SELECT projection.current_version()), unnest(series), unnest(ats), unnest(ids)
  ON CONFLICT DO NOTHING
$$;

-- The snapshots kept next to others of the same series: of each, under its number, the last before it and the first after it.
CREATE OR REPLACE FUNCTION projection.snapshots_beside(
  apps integer[], devices text[], series text[], ats timestamptz[], ids uuid[])
RETURNS TABLE (ordinal integer, at timestamptz, id uuid)
LANGUAGE sql STABLE AS $$
  SELECT s.ordinal, b.at, b.id
  FROM (
    SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(devices) AS device,
      unnest(series) AS series, unnest(ats) AS at, unnest(ids) AS id, (SELECT projection.current_version()) AS version
  ) s
  CROSS JOIN LATERAL (
    (SELECT k.at, k.id FROM projection.kept_snapshot k
      WHERE (k.app_id, k.device_id, k.version_id, k.series) = (s.app, s.device, s.version, s.series) AND (k.at, k.id) < (s.at, s.id)
      ORDER BY k.at DESC, k.id DESC LIMIT 1)
    UNION ALL
    (SELECT k.at, k.id FROM projection.kept_snapshot k
      WHERE (k.app_id, k.device_id, k.version_id, k.series) = (s.app, s.device, s.version, s.series) AND (k.at, k.id) > (s.at, s.id)
      ORDER BY k.at, k.id LIMIT 1)
  ) b
$$;
