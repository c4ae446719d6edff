-- Where a server stands, for the comparison of a standby with its primary: whether it is a standby, the cluster and database (a copy
-- of all files has the same ones), the incarnation, the settled position, how much of the write-ahead log it has replayed or
-- inserted, and the age in seconds of the oldest event beyond a position, 0 without one.
CREATE OR REPLACE FUNCTION log.standing(
  beyond bigint, OUT is_standby boolean, OUT origin text, OUT incarnation text, OUT settled_position bigint, OUT bytes bigint,
  OUT age double precision)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT r.is_standby, c.system_identifier || '/' || d.oid, s.incarnation::text, s.settled_position,
    (CASE WHEN r.is_standby THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END - '0/0'::pg_lsn)::bigint,
    coalesce(greatest(extract(epoch FROM now() - (
      SELECT e.received_at FROM log.event e WHERE e.position > beyond ORDER BY e.position LIMIT 1)), 0), 0)::float8
  FROM log.state s, pg_control_system() c, pg_database d, (SELECT pg_is_in_recovery()) AS r (is_standby)
  WHERE d.datname = current_database()
$$;
