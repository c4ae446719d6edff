-- Periods of the second arm: where a device's snapshots all come after those known, as nearly all do, they are added in one
-- statement; the rest goes today's way (torn_apply is today's device_period_apply on the runs in torn_run).
CREATE FUNCTION device_period_apply(after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql SET client_min_messages = warning SET jit = off AS $$
DECLARE
  torn device_period[];
  changes device_from[];
BEGIN
  CREATE TEMP TABLE IF NOT EXISTS device_context (app_id integer, device_id text COLLATE "C", context jsonb);
  CREATE TEMP TABLE IF NOT EXISTS device_reread (app_id integer, device_id text COLLATE "C", series text COLLATE "C") ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS torn_run (LIKE device_period) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS device_change (app_id integer, device_id text COLLATE "C", from_at timestamptz) ON COMMIT DELETE ROWS;
  PERFORM projection.only_index_lookups(true);
  WITH run AS MATERIALIZED (
    SELECT r.*, l AS known
    FROM (
      SELECT *, row_number() OVER (PARTITION BY app_id, device_id, series ORDER BY first_at, first_id) AS n
      FROM projection.device_period_runs(after, upto, false)
    ) r
    LEFT JOIN LATERAL (
      SELECT * FROM device_period p
      WHERE r.n = 1 AND (p.app_id, p.device_id, p.series) = (r.app_id, r.device_id, r.series)
      ORDER BY p.app_id DESC, p.device_id DESC, p.series DESC, p.first_at DESC, p.first_id DESC LIMIT 1
    ) l ON true
    OFFSET 0
  ), placed AS MATERIALIZED (
    -- A window carries what is known to the runs after the first.
    SELECT app_id, device_id, series, first_at, first_id, last_at, last_id, value, (known).first_at AS known_at, (known).first_id AS known_id,
      n = 1 AND (known).value IS NOT NULL AND (known).value = value AS held,
      bool_or(n = 1 AND ((known).last_at IS NULL OR (first_at, first_id) > ((known).last_at, (known).last_id))) OVER device AS follows,
      bool_or(n = 1 AND (known).last_at IS NULL) OVER device AS is_first
    FROM run
    WINDOW device AS (PARTITION BY app_id, device_id, series)
  ), longer AS (
    UPDATE device_period p SET last_at = f.last_at, last_id = f.last_id
    FROM placed f
    WHERE f.follows AND f.held
      AND (p.app_id, p.device_id, p.series, p.first_at, p.first_id) = (f.app_id, f.device_id, f.series, f.known_at, f.known_id)
  ), added AS (
    INSERT INTO device_period
    SELECT app_id, device_id, series, first_at, first_id, last_at, last_id, value FROM placed WHERE follows AND NOT held
  )
  SELECT array_agg(ROW(app_id, device_id, series, first_at, first_id, last_at, last_id, value)::device_period) FILTER (WHERE NOT follows),
    array_agg(ROW(app_id, device_id, CASE WHEN is_first AND series = 'context' THEN '-infinity' ELSE first_at END)::device_from)
      FILTER (WHERE follows AND NOT held)
  INTO torn, changes
  FROM placed;
  PERFORM projection.only_index_lookups(false);
  IF torn IS NOT NULL THEN
    INSERT INTO torn_run SELECT * FROM unnest(torn);
    PERFORM torn_apply(after, upto);
    DELETE FROM torn_run;
  END IF;
  INSERT INTO device_change SELECT app_id, device_id, min(from_at) FROM unnest(changes) GROUP BY 1, 2;
END $$;
