-- Deletes up to a number of rows of an app from one table: the events first, so that no projection makes rows of them again.
-- Returns the table and the number of rows; no row if nothing is left. Each step is a transaction of its own, so an
-- interrupted deletion continues where it stopped. Gives up with 55P03 after a minute behind long batches, or two seconds
-- behind other sessions.
CREATE OR REPLACE FUNCTION notilog.deletion_step(app integer, most integer) RETURNS TABLE (name text, deleted bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '60s' AS $$
BEGIN
  -- Checked first: a step without rows to delete must not hold the log before the next lock (lock.exclusive).
  IF EXISTS (SELECT FROM log.event e WHERE e.app_id = app) THEN
    WITH gone AS (
      DELETE FROM log.event e
      WHERE (e.position, e.received_at) IN (SELECT o.position, o.received_at FROM log.event o WHERE o.app_id = app LIMIT most)
      RETURNING e.position, e.id, e.device_id
    ), known AS (
      DELETE FROM log.identity i USING gone
      WHERE (i.id, i.device_hash, i.app_id) = (gone.id, hashtextextended(gone.device_id, 0), app)
    ), aside AS (
      DELETE FROM projection.set_aside s USING gone WHERE s.position = gone.position
    )
    SELECT count(*) INTO deleted FROM gone;
    name := 'log.event';
    RETURN NEXT;
    RETURN;
  END IF;
  -- Batches that read the events earlier, and versions that begin with the baseline's rows, have ended.
  PERFORM notilog.deletion_locks();
  FOR name IN SELECT t.name FROM notilog.deletion_tables() t LOOP
    EXECUTE format('DELETE FROM %1$s WHERE ctid = ANY (ARRAY (SELECT ctid FROM %1$s WHERE app_id = $1 LIMIT $2))', name)
    USING app, most;
    GET DIAGNOSTICS deleted = ROW_COUNT;
    IF deleted > 0 THEN
      RETURN NEXT;
      RETURN;
    END IF;
  END LOOP;
END $$;
