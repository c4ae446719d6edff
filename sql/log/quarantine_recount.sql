-- Counts an app's quarantine again, after changes of several items. Under log.quarantine_lock.
CREATE OR REPLACE FUNCTION log.quarantine_recount(app integer) RETURNS void
LANGUAGE sql AS $$
  DELETE FROM log.quarantine_usage WHERE app_id = app;
  INSERT INTO log.quarantine_usage
  SELECT app_id, code, count(*), sum(bytes) FROM log.quarantine WHERE app_id = app GROUP BY app_id, code;
$$;
