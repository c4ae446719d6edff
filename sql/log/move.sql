-- What moves a cell to another server (Administration/Cells/CellMove): the server that has it is closed and sealed, a standby that shows
-- the seal is promoted, and the coordinator names it as the cell's place. Only then is it opened. So one of the two takes events at any
-- time, or none.

-- Facts about a server for a move of the cell that it has, or is a standby of.
--
--   origin       the system and the database in it: a standby has the same ones
--   target       where the cell goes, by the move for which it is closed
--   bytes        of the write-ahead log: replayed by a standby, flushed by a primary
--   is_owned     whether this login may close and open the cell
--   may_promote  whether it may promote the server
CREATE OR REPLACE FUNCTION log.moving(
  OUT is_standby boolean, OUT origin text, OUT cluster text, OUT cell smallint, OUT closed boolean, OUT move text, OUT target text,
  OUT sealed boolean, OUT bytes bigint, OUT is_owned boolean, OUT may_promote boolean)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT r.is_standby, c.system_identifier || '/' || d.oid, s.cluster::text, s.cell, s.closed, s.move::text, s.target, s.sealed,
    (CASE WHEN r.is_standby THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END - '0/0'::pg_lsn)::bigint,
    pg_has_role('notilog_owner', 'USAGE'), has_function_privilege('pg_promote(boolean, integer)', 'EXECUTE')
  FROM log.state s, pg_control_system() c, pg_database d, (SELECT pg_is_in_recovery()) AS r (is_standby)
  WHERE d.datname = current_database()
$$;

-- Closes the cell for a move: from now on nobody appends, copies events in, erases a device or numbers changes for an export (NL409).
-- What is under way may still be stored, until log.seal().
CREATE OR REPLACE FUNCTION log.close_for_move(move uuid, target text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE log.state s SET closed = true, move = close_for_move.move, target = close_for_move.target,
    sealed = coalesce(s.sealed AND s.move = close_for_move.move, false)
  WHERE NOT s.closed OR s.move IS NOT NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'this database was imported into another store' USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
END $$;

-- Waits for what a closed cell has under way, and seals it. Call it outside a transaction. NL408: transactions do not end.
CREATE OR REPLACE PROCEDURE log.seal(move uuid, seconds double precision)
LANGUAGE plpgsql AS $$
DECLARE
  deadline constant timestamptz := clock_timestamp() + make_interval(secs => seconds);
  writing  bigint[];
  settled  bigint;
BEGIN
  CALL log.settle(settled);
  CALL log.drain_appends();
  -- Whoever marks rows for an export may have been told of nothing, and writes all the same: those of now are waited for.
  writing := log.writing();
  WHILE writing && log.writing() LOOP
    IF clock_timestamp() > deadline THEN
      RAISE EXCEPTION 'transactions that write to the cell do not end' USING ERRCODE = 'NL408';
    END IF;
    COMMIT;
    PERFORM pg_sleep(0.02);
  END LOOP;
  COMMIT;
  -- Whoever numbers changes on an older snapshot has the lock of its feed by now, or fails with 40001.
  INSERT INTO export.feed (app_id, dataset)
  SELECT a.app_id, d.name FROM notilog.app a, export.dataset d WHERE d.keys <> '{}' ORDER BY a.app_id, d.name
  ON CONFLICT (app_id, dataset) DO UPDATE SET change = feed.change;
  UPDATE log.state s SET sealed = true WHERE s.move = seal.move;
  COMMIT;
END $$;

-- The transactions in this database, other than this one, that have written something.
CREATE OR REPLACE FUNCTION log.writing() RETURNS bigint[]
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(array_agg(l.transactionid::text::bigint), '{}')
  FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE l.locktype = 'transactionid' AND l.granted AND l.mode = 'ExclusiveLock' AND a.datname = current_database()
    AND l.pid <> pg_backend_pid()
$$;

-- On the new server, once it is promoted: the log there is the same, so that it begins no new incarnation by its new timeline. Returns
-- whether it is: that is what the seal says.
CREATE OR REPLACE FUNCTION log.arrive(move uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE log.state s SET place = log.place() WHERE s.move = arrive.move AND s.sealed;
  RETURN FOUND;
END $$;

-- On a new server that takes the place of one that is gone, before it is opened: what was gone with it begins a new incarnation, also where
-- the cell was on this server before. Done again for a move it changes nothing.
CREATE OR REPLACE FUNCTION log.replace(move uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  was log.state;
BEGIN
  SELECT * INTO was FROM log.state FOR UPDATE;
  IF was.move = replace.move AND was.place = log.place() THEN
    RETURN;
  END IF;
  PERFORM log.new_incarnation(was.settled_position, 'the server was lost');
  UPDATE log.state SET place = log.place(), closed = true, move = replace.move, target = NULL, sealed = false;
END $$;

-- What `notilog cluster status` shows of a cell. How many events it has is as of the last ANALYZE.
CREATE OR REPLACE FUNCTION log.cell_status(
  OUT cell smallint, OUT lanes smallint[], OUT cluster text, OUT is_standby boolean, OUT closed boolean, OUT is_moving boolean,
  OUT settled bigint, OUT applied bigint, OUT copied bigint, OUT bytes bigint, OUT events bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT s.cell, s.lanes, s.cluster::text, pg_is_in_recovery(), s.closed, s.move IS NOT NULL, s.settled_position,
    (SELECT min(c.position) FROM projection.checkpoint c), (SELECT min(c.applied) FROM log.copied c),
    pg_database_size(current_database()),
    (SELECT sum(greatest(c.reltuples, 0))::bigint FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'log.event'::regclass)
  FROM log.state s
$$;

-- Opens the cell that a move closed: the new server's once the coordinator names that as its place, or the old one's where the move is
-- taken back. One that another move has closed since stays closed.
CREATE OR REPLACE FUNCTION log.end_move(move uuid) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  UPDATE log.state s SET closed = false, move = NULL, target = NULL, sealed = false WHERE s.move = end_move.move
$$;

-- Refuses what a closed log does not take. Call it with the state of log.enter_epoch(): whoever closes the log waits for the others.
CREATE OR REPLACE FUNCTION log.refuse_closed(state log.state) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF state.closed THEN
    RAISE EXCEPTION 'this log is closed: another database takes over' USING ERRCODE = 'NL409';
  END IF;
END $$;
