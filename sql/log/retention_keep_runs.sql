-- Keeps the context and settings of devices from a partition's events, for events that arrive late: once they are dropped,
-- no device can be read again from the log.
--
-- Snapshots of one value become a run only if no snapshot of another value lies between: none in the log, none in the runs
-- kept before, and none that may still arrive. Those lie at or after the new floor, so from there on (a clock may be a day
-- ahead) each snapshot is a run of its own.
CREATE OR REPLACE FUNCTION log.retention_keep_runs(partition text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET work_mem = '64MB' SET jit = off AS $$
DECLARE
  progress record;
BEGIN
  -- No device is erased meanwhile: its data, read before, would be stored under its id.
  PERFORM lock.shared('background');
  PERFORM lock.shared('still');
  SELECT * INTO STRICT progress FROM log.dropped_partition WHERE name = partition AND dropped_at IS NULL FOR UPDATE;
  IF progress.runs_kept THEN
    RETURN;
  END IF;
  INSERT INTO baseline.kept_run
  WITH snapshot AS (
    SELECT app_id, device_id, series, at, id, value, received_at < progress.to_at AS goes
    FROM log.upcast_snapshot
    WHERE received_at < progress.to_at OR at < progress.to_at
    UNION ALL
    SELECT app_id, device_id, series, first_at, first_id, value, false FROM baseline.kept_run
    UNION ALL
    SELECT app_id, device_id, series, last_at, last_id, value, false FROM baseline.kept_run
  ), turn AS (
    SELECT *, (value IS DISTINCT FROM lag(value) OVER device)::integer AS turns
    FROM snapshot
    WINDOW device AS (PARTITION BY app_id, device_id, series ORDER BY at, id)
  ), numbered AS (
    SELECT *, sum(turns) OVER (PARTITION BY app_id, device_id, series ORDER BY at, id) AS run,
      at >= progress.to_at AS alone
    FROM turn
  ), edge AS (
    SELECT *, alone OR run IS DISTINCT FROM lag(run) OVER device AS begins,
      alone OR run IS DISTINCT FROM lead(run) OVER device OR lead(alone) OVER device AS ends
    FROM numbered
    WHERE goes
    WINDOW device AS (PARTITION BY app_id, device_id, series ORDER BY at, id)
  ), run AS (
    -- A run keeps only its first and last snapshot: the row after one that begins and does not end is its end.
    SELECT *, CASE WHEN ends THEN at ELSE lead(at) OVER device END AS last_at,
      CASE WHEN ends THEN id ELSE lead(id) OVER device END AS last_id
    FROM edge
    WHERE begins OR ends
    WINDOW device AS (PARTITION BY app_id, device_id, series ORDER BY at, id)
  )
  SELECT app_id, device_id, series, at, id, last_at, last_id, value FROM run WHERE begins;
  UPDATE log.dropped_partition SET runs_kept = true WHERE name = partition;
END $$;
