-- The sessions that keep readers of Notilog's tables waiting, for `notilog doctor`, as an array: those that have locked a table
-- exclusively, and those that somebody who wants to lock one so waits for, as readers queue up behind that. First those that do
-- not wait themselves, the oldest transaction before younger ones.
CREATE OR REPLACE FUNCTION notilog.lock_diagnosis() RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('relation', b.relation, 'pid', a.pid, 'login', a.usename,
    'application', a.application_name, 'seconds', extract(epoch FROM clock_timestamp() - a.xact_start))
    ORDER BY w.waits, a.xact_start, b.relation, a.pid), '[]')
  FROM (
    SELECT DISTINCT c.oid::regclass::text AS relation, blocker
    FROM pg_locks l
    JOIN pg_class c ON c.oid = l.relation
    CROSS JOIN LATERAL unnest(CASE WHEN l.granted THEN ARRAY[l.pid] ELSE pg_blocking_pids(l.pid) END) AS blocker
    WHERE l.mode = 'AccessExclusiveLock' AND l.pid <> pg_backend_pid()
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND c.relnamespace::regnamespace::text IN ('log', 'migration', 'notilog', 'projection')
  ) b
  JOIN pg_stat_activity a ON a.pid = b.blocker
  CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM pg_locks o WHERE o.pid = a.pid AND NOT o.granted)) AS w (waits)
$$;
