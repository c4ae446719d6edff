-- How many sessions of this database still read a snapshot from before a transaction: they would not see all of a version
-- that was completed since. Of sessions of other roles a role without pg_read_all_stats is not told.
CREATE OR REPLACE FUNCTION projection.older_readers(before xid8) RETURNS bigint
LANGUAGE sql VOLATILE AS $$
  SELECT count(*)
  FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
    AND age(backend_xmin) > age(before::xid)
$$;
