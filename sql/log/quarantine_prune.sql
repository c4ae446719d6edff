-- Deletes items received before a time, up to a number of each app. Returns how many; none if another service is deleting.
CREATE OR REPLACE FUNCTION log.quarantine_prune(before timestamptz, at_most integer DEFAULT 10000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  app     integer;
  deleted bigint;
  total   bigint := 0;
BEGIN
  IF NOT lock.try_named('quarantine prune') THEN
    RETURN 0;
  END IF;
  -- In one order: a session that adds items holds the lock of one app only.
  FOR app IN SELECT DISTINCT app_id FROM log.quarantine WHERE received_at < before ORDER BY app_id LOOP
    PERFORM log.quarantine_lock(app);
    DELETE FROM log.quarantine WHERE quarantine_id IN (
      SELECT quarantine_id FROM log.quarantine WHERE app_id = app AND received_at < before ORDER BY received_at LIMIT at_most);
    GET DIAGNOSTICS deleted = ROW_COUNT;
    total := total + deleted;
    PERFORM log.quarantine_recount(app);
  END LOOP;
  RETURN total;
END $$;
