-- Stops everything that reads or makes rows of apps, for the rest of the transaction: batches, versions that begin with the baseline's
-- rows, and the numbering of changes for exports. Waits for long batches as long as the caller does, and a second for other sessions.
CREATE OR REPLACE FUNCTION notilog.deletion_locks() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM lock.exclusive('background');
  PERFORM set_config('lock_timeout', '1s', true);
  LOCK TABLE export.feed IN SHARE ROW EXCLUSIVE MODE;
  PERFORM lock.exclusive('baseline');
  PERFORM lock.stop_batches();
END $$;
