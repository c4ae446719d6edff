-- Locks a table of this schema against all its other users for the rest of the transaction; waits up to lock_timeout. It
-- takes no transaction id, so its holder does not hold back vacuum.
--
-- Every function takes locks in this order, which prevents deadlocks (docs/robustness.md, "Locks and their order"):
--   the keys of a version's lanes (projection.lock_version), background, export.feed, baseline, still, rows of
--   log.dropped_partition, the log, the tables of projections, partitions, quarantine of an app
-- `still` is locked exclusively by lock.stop_batches only.
--
-- A lock that is only tried, or waited for some 100 ms and then released (projection.lock_tables, the log's exclusive lock),
-- may come at any point of the order.
CREATE OR REPLACE FUNCTION lock.exclusive(what text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  EXECUTE format('LOCK TABLE lock.%I IN EXCLUSIVE MODE', what);
END $$;
