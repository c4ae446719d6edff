-- Facts about the server for `notilog doctor`, as one object. Sessions of other roles are visible as far as the role's
-- privileges go (pg_monitor sees all). `idle` is how long a session may be idle in a transaction; an active one may take an
-- hour.
CREATE OR REPLACE FUNCTION notilog.server_diagnosis(idle interval DEFAULT '30 seconds') RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT jsonb_build_object(
    'in_recovery', pg_is_in_recovery(),
    'encoding', current_setting('server_encoding'),
    'sees_sessions', pg_has_role(current_user, 'pg_read_all_stats', 'USAGE'),
    'connections', (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
    -- The lowest limit of server, database and login; -1 is none.
    'connection_limit', least(
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
      (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database()),
      (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = session_user)),
    'transaction_age', (SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database()),
    'idle_transactions', (
      SELECT coalesce(jsonb_agg(jsonb_build_object('pid', pid, 'login', usename, 'application', application_name,
        'is_idle', state LIKE 'idle in transaction%',
        'seconds', extract(epoch FROM clock_timestamp() - xact_start)) ORDER BY xact_start), '[]')
      FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
        -- Sessions that hold a lock of the service are idle on purpose.
        AND pid NOT IN (SELECT l.pid FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
          WHERE c.relnamespace = to_regnamespace('lock') AND c.relname LIKE 'held\_%' AND l.mode = 'ExclusiveLock')
        AND xact_start < clock_timestamp() - CASE WHEN state LIKE 'idle in transaction%' THEN idle ELSE interval '1 hour' END),
    -- Sessions that wait for no lock, while others wait for theirs.
    'blocking', (
      SELECT coalesce(jsonb_agg(jsonb_build_object('pid', b.pid, 'login', b.usename, 'application', b.application_name,
        'waiting', w.sessions, 'seconds', w.seconds) ORDER BY w.seconds DESC, b.pid), '[]')
      FROM (
        SELECT blocker, count(*) AS sessions, max(extract(epoch FROM clock_timestamp() - l.since)) AS seconds
        FROM (SELECT pid, min(waitstart) AS since FROM pg_locks WHERE NOT granted GROUP BY pid) l
        JOIN pg_stat_activity a USING (pid)
        CROSS JOIN LATERAL unnest(pg_blocking_pids(a.pid)) AS blocker
        WHERE a.datname = current_database() AND l.since < clock_timestamp() - interval '5 seconds'
        GROUP BY blocker
      ) w
      JOIN pg_stat_activity b ON b.pid = w.blocker
      WHERE b.wait_event_type IS DISTINCT FROM 'Lock'),
    'prepared_transactions', (
      SELECT count(*) FROM pg_prepared_xacts
      WHERE database = current_database() AND prepared < clock_timestamp() - idle),
    'slots', (
      SELECT coalesce(jsonb_agg(jsonb_build_object('name', slot_name, 'active', active, 'status', wal_status,
        'bytes', CASE WHEN NOT pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint END)
        ORDER BY slot_name), '[]')
      FROM pg_replication_slots WHERE restart_lsn IS NOT NULL),
    -- Commits wait for a synchronous standby that is not connected.
    'standby_missing', current_setting('synchronous_standby_names') <> ''
      AND NOT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')),
    'never_vacuumed', (
      SELECT coalesce(jsonb_agg(oid::regclass::text ORDER BY 1), '[]')
      FROM pg_class
      WHERE relnamespace::regnamespace::text IN ('notilog', 'log', 'projection')
        AND reloptions && '{autovacuum_enabled=false,autovacuum_enabled=off}'::text[])
  )
$$;
