-- projection: device_period
-- with: notification

-- The periods of one series of a device from the last that begins before a time to the first that begins after another:
-- what lies between, and its neighbours, however many the device has.
CREATE OR REPLACE FUNCTION device_periods_around(app integer, device text, periods_of text, from_at timestamptz, to_at timestamptz)
RETURNS SETOF device_period
LANGUAGE sql STABLE AS $$
  SELECT p.*
  FROM device_period p
  WHERE (p.app_id, p.device_id, p.series) = (app, device, periods_of)
    AND p.first_at >= coalesce((
      SELECT max(b.first_at) FROM device_period b
      WHERE (b.app_id, b.device_id, b.series) = (app, device, periods_of) AND b.first_at < from_at), '-infinity')
    AND p.first_at <= coalesce((
      SELECT min(b.first_at) FROM device_period b
      WHERE (b.app_id, b.device_id, b.series) = (app, device, periods_of) AND b.first_at > to_at), 'infinity')
  OFFSET 0   -- so that each device's are looked up by both bounds
$$;

-- The snapshots of a range of the log, as maximal runs of unchanged value. With `reread` only those of the devices in
-- device_reread, and of these all that was ever applied.
CREATE OR REPLACE FUNCTION device_period_runs(after bigint, upto bigint, reread boolean)
RETURNS TABLE (app_id integer, device_id text, series text, first_at timestamptz, first_id uuid,
  last_at timestamptz, last_id uuid, value jsonb)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH said AS (
    SELECT hashtextextended(device_id, app_id) AS spread, effective_at AS at, id,
      ROW(app_id, device_id, data->'context')::device_context AS said
    FROM projection.batch(after, upto)
    WHERE NOT reread AND device_id <> '' AND data ? 'context'
  ), told AS (
    -- Most contexts repeat the one before and after, byte by byte: these are left out before anything is taken apart. By a
    -- hash of the device, as that sorts faster; should two devices share it, no more than a row too many is kept.
    SELECT *, (said *<> lag(said) OVER device) IS NOT FALSE OR (said *<> lead(said) OVER device) IS NOT FALSE AS kept
    FROM said
    WINDOW device AS (PARTITION BY spread ORDER BY at, id)
  ), event AS (
    SELECT e.app_id, e.device_id, e.kind, e.effective_at AS at, e.id, e.data
    FROM (SELECT DISTINCT app_id, device_id FROM device_reread) d
    JOIN projection.applied(upto) e ON e.app_id = d.app_id AND e.device_id = d.device_id
    WHERE reread AND (e.kind = 'settings' OR e.data ? 'context')
    UNION ALL
    SELECT app_id, device_id, kind, effective_at, id, data
    FROM projection.batch(after, upto)
    WHERE NOT reread AND device_id <> '' AND kind = 'settings'
  ), snapshot AS (
    SELECT (said).app_id, (said).device_id, 'context' AS series, at, id,
      (said).context - '{device_model,sdk_version}'::text[] AS value
    FROM told WHERE kept
    UNION ALL
    SELECT app_id, device_id, 'context', at, id, (data->'context') - '{device_model,sdk_version}'::text[]
    FROM event WHERE reread AND data ? 'context'
    UNION ALL
    SELECT app_id, device_id, 'settings', at, id, data - '{context,attributes}'::text[]
    FROM event WHERE kind = 'settings'
    UNION ALL
    -- What the events said that retention has dropped.
    SELECT r.app_id, r.device_id, r.series, x.at, x.id, r.value
    FROM device_reread d
    JOIN baseline.kept_run r USING (app_id, device_id, series)
    CROSS JOIN LATERAL (VALUES (r.first_at, r.first_id), (r.last_at, r.last_id)) AS x (at, id)
    WHERE reread
  ), edge AS (
    SELECT *, value IS DISTINCT FROM lag(value) OVER device AS begins, value IS DISTINCT FROM lead(value) OVER device AS ends
    FROM snapshot
    WINDOW device AS (PARTITION BY app_id, device_id, series ORDER BY at, id)
  ), run AS (
    -- Of a run only its first and last snapshot are left: the row after one that begins and does not end is its end.
    SELECT *, CASE WHEN ends THEN at ELSE lead(at) OVER device END AS last_at,
      CASE WHEN ends THEN id ELSE lead(id) OVER device END AS last_id
    FROM edge
    WHERE begins OR ends
    WINDOW device AS (PARTITION BY app_id, device_id, series ORDER BY at, id)
  )
  SELECT app_id, device_id, series, at, id, last_at, last_id, value FROM run WHERE begins;
END $$;

-- Runs of the batch are merged with the periods known. Where runs of different values overlap, their ends no longer
-- say which snapshots lie between: that device is read again from the log.
--
-- Leaves in device_change, for each device whose value over time changed, from when on it did.
CREATE OR REPLACE FUNCTION device_period_apply(after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql SET client_min_messages = warning SET jit = off AS $$
BEGIN
  CREATE TEMP TABLE IF NOT EXISTS device_context (app_id integer, device_id text COLLATE "C", context jsonb);   -- its type
  CREATE TEMP TABLE IF NOT EXISTS device_run (LIKE device_period) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS device_known (LIKE device_period) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS device_merged (LIKE device_period) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS device_gone (
    app_id integer, device_id text COLLATE "C", series text COLLATE "C", first_at timestamptz, first_id uuid
  ) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS device_reread (app_id integer, device_id text COLLATE "C", series text COLLATE "C")
    ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS device_change (app_id integer, device_id text COLLATE "C", from_at timestamptz)
    ON COMMIT DELETE ROWS;
  -- Only where this is not the transaction's first batch: to truncate makes every plan anew.
  IF EXISTS (SELECT FROM device_run) THEN
    TRUNCATE device_run, device_known, device_merged, device_gone, device_reread;
  END IF;
  IF EXISTS (SELECT FROM device_change) THEN
    TRUNCATE device_change;
  END IF;

  INSERT INTO device_run
  SELECT r.* FROM device_period_runs(after, upto, false) r;
  ANALYZE device_run (app_id, device_id, series, first_at, first_id);

  PERFORM projection.only_index_lookups(true);
  -- Those that runs may touch or change: a device may have thousands.
  INSERT INTO device_known
  SELECT p.*
  FROM (SELECT app_id, device_id, series, min(first_at) AS from_at, max(last_at) AS to_at FROM device_run GROUP BY 1, 2, 3) d
  CROSS JOIN LATERAL device_periods_around(d.app_id, d.device_id, d.series, d.from_at, d.to_at) p;
  PERFORM projection.only_index_lookups(false);
  ANALYZE device_known (app_id, device_id, series, first_at, first_id);

  INSERT INTO device_reread
  SELECT DISTINCT app_id, device_id, series
  FROM device_run r
  JOIN device_known k USING (app_id, device_id, series)   -- no run overlaps another of its batch
  WHERE r.value <> k.value
    AND (r.first_at, r.first_id) <= (k.last_at, k.last_id) AND (k.first_at, k.first_id) <= (r.last_at, r.last_id);

  INSERT INTO device_merged
  WITH run AS (
    SELECT *
    FROM (TABLE device_known UNION ALL TABLE device_run) r
    WHERE NOT EXISTS (
      SELECT FROM device_reread d WHERE (d.app_id, d.device_id, d.series) = (r.app_id, r.device_id, r.series))
  ), turn AS (
    SELECT *, (value IS DISTINCT FROM lag(value) OVER device)::integer AS turns
    FROM run
    WINDOW device AS (PARTITION BY app_id, device_id, series ORDER BY first_at, first_id)
  ), numbered AS (
    SELECT *, sum(turns) OVER (PARTITION BY app_id, device_id, series ORDER BY first_at, first_id) AS period
    FROM turn
  )
  SELECT DISTINCT ON (app_id, device_id, series, period) app_id, device_id, series,
    first_value(first_at) OVER period, first_value(first_id) OVER period, last_at, last_id, value
  FROM numbered
  WINDOW period AS (PARTITION BY app_id, device_id, series, period ORDER BY first_at, first_id
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
  ORDER BY app_id, device_id, series, period, last_at DESC, last_id DESC;

  IF EXISTS (SELECT FROM device_reread) THEN
    DELETE FROM device_known k
    USING device_reread d
    WHERE (d.app_id, d.device_id, d.series) = (k.app_id, k.device_id, k.series);
    INSERT INTO device_known
    SELECT p.*
    FROM device_reread d
    JOIN device_period p ON (p.app_id, p.device_id, p.series) = (d.app_id, d.device_id, d.series);
    INSERT INTO device_merged
    SELECT r.*
    FROM device_period_runs(0, upto, true) r
    JOIN device_reread d ON (d.app_id, d.device_id, d.series) = (r.app_id, r.device_id, r.series);
  END IF;
  ANALYZE device_merged (app_id, device_id, series, first_at, first_id);

  -- What changed: periods that are new, gone, or begin elsewhere. Before its first context a device has that one.
  INSERT INTO device_change
  SELECT app_id, device_id,
    CASE WHEN bool_or(series = 'context' AND earliest) THEN '-infinity' ELSE min(first_at) END
  FROM (
    SELECT coalesce(m.app_id, k.app_id) AS app_id, coalesce(m.device_id, k.device_id) AS device_id,
      coalesce(m.series, k.series) AS series, coalesce(m.first_at, k.first_at) AS first_at,
      coalesce(m.earliest, k.earliest) AS earliest
    FROM (
      SELECT *, row_number() OVER (PARTITION BY app_id, device_id, series ORDER BY first_at, first_id) = 1 AS earliest
      FROM device_merged
    ) m
    FULL JOIN (
      SELECT *, row_number() OVER (PARTITION BY app_id, device_id, series ORDER BY first_at, first_id) = 1 AS earliest
      FROM device_known
    ) k USING (app_id, device_id, series, first_at, first_id, value)
    WHERE m.app_id IS NULL OR k.app_id IS NULL
  ) change
  GROUP BY app_id, device_id;

  -- By EXCEPT, which reads each once: what an anti-join makes of it rests on statistics that a batch outruns.
  INSERT INTO device_gone
  SELECT app_id, device_id, series, first_at, first_id FROM device_known
  EXCEPT
  SELECT app_id, device_id, series, first_at, first_id FROM device_merged;

  PERFORM projection.only_index_lookups(true);
  DELETE FROM device_period p
  USING device_gone g
  WHERE (p.app_id, p.device_id, p.series, p.first_at, p.first_id) = (g.app_id, g.device_id, g.series, g.first_at, g.first_id);
  PERFORM projection.only_index_lookups(false);

  INSERT INTO device_period AS p
  TABLE device_merged
  ON CONFLICT (app_id, device_id, series, first_at, first_id) DO UPDATE
  SET last_at = excluded.last_at, last_id = excluded.last_id, value = excluded.value
  WHERE (p.last_at, p.last_id, p.value) IS DISTINCT FROM (excluded.last_at, excluded.last_id, excluded.value);
END $$;
