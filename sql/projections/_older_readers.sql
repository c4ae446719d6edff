-- The number of sessions of this database with a snapshot from before a transaction: they would not see all rows of a version
-- completed since. A role without pg_read_all_stats does not see sessions of other roles.
CREATE OR REPLACE FUNCTION projection.older_readers(before xid8) RETURNS bigint
LANGUAGE sql VOLATILE AS $$
  SELECT count(*)
  FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
    AND age(backend_xmin) > age(before::xid)
$$;
