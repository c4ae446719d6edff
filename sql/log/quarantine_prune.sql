-- Deletes items received before a time, up to a number of one app: call it again until it deletes none. One app at a time, so that a call
-- ends in time however many apps have old items. An app whose lock something else has comes last, and is left for the next hour if that
-- goes on. Returns how many; none if another service is deleting.
CREATE OR REPLACE FUNCTION log.quarantine_prune(before timestamptz, at_most integer DEFAULT 10000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
  app     integer;
  passed  integer[] := '{}';
  deleted bigint;
BEGIN
  IF NOT lock.try_named('quarantine prune') THEN
    RETURN 0;
  END IF;
  LOOP
    SELECT q.app_id INTO app
    FROM log.quarantine q WHERE q.received_at < before AND q.app_id <> ALL (passed) ORDER BY q.received_at LIMIT 1;
    IF FOUND THEN
      EXIT WHEN lock.try_named('quarantine ' || app);
      passed := passed || app;
    ELSIF passed = '{}' THEN
      RETURN 0;
    ELSE
      -- Bodies may come so fast that it is never free, but each has its turn.
      app := passed[1];
      PERFORM log.quarantine_lock(app);
      EXIT;
    END IF;
  END LOOP;
  DELETE FROM log.quarantine WHERE quarantine_id IN (
    SELECT quarantine_id FROM log.quarantine WHERE app_id = app AND received_at < before ORDER BY received_at LIMIT at_most);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  PERFORM log.quarantine_recount(app);
  RETURN deleted;
EXCEPTION WHEN lock_not_available THEN
  RETURN 0;
END $$;
