-- The origin of this log: the cluster, the database in it, and the cluster's timeline. A restored dump is in another cluster
-- or database; a promoted replica and a cluster restored to a point in time are on another timeline.
CREATE OR REPLACE FUNCTION log.place() RETURNS text
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('%s/%s/%s', system_identifier, (SELECT oid FROM pg_database WHERE datname = current_database()),
    substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))
  FROM pg_control_system()
$$;
