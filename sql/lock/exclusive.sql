-- Locks a table of this schema against everybody else who locks it, for the rest of the transaction: waits as long as
-- lock_timeout says. Takes no transaction id, so that whoever holds it holds back no vacuum.
--
-- Every function takes locks in this order, which prevents deadlocks (docs/robustness.md, "Locks and their order"):
--   a version's key (projection.lock_version), export.feed, baseline, still, rows of
--   log.dropped_partition, the log, the tables of projections, partitions, quarantine of an app
-- What is only tried, or waited for some 100 ms and then given back (projection.lock_tables, the log's exclusive lock), may
-- come at any place.
CREATE OR REPLACE FUNCTION lock.exclusive(what text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  EXECUTE format('LOCK TABLE lock.%I IN EXCLUSIVE MODE', what);
END $$;
