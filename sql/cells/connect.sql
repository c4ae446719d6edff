-- The sessions that this one has in the other cells, for what they count. They last as long as this session. Their transactions
-- begin with the first question of a transaction here, and are on one snapshot each until it ends; one that is left over ends by
-- itself after a minute.

-- The name of the session in a cell.
CREATE OR REPLACE FUNCTION cell.session_name(number smallint) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT 'notilog_cell_' || number $$;

-- Whether there is such a session.
CREATE OR REPLACE FUNCTION cell.is_open(name text) RETURNS boolean
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(name = ANY (cell.dblink_get_connections()), false)
$$;

-- Begins a transaction in a cell, on a new session if there is none that answers. NL503: the cell does not answer.
CREATE OR REPLACE FUNCTION cell.begin(number smallint) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  name constant text := cell.session_name(number);
BEGIN
  IF cell.is_open(name) THEN
    IF cell.dblink_is_busy(name) = 1 THEN
      -- A statement that was cancelled here goes on there.
      PERFORM cell.leave(name);
    END IF;
  END IF;
  FOR attempt IN 1 .. 2 LOOP
    BEGIN
      IF NOT cell.is_open(name) THEN
        PERFORM cell.dblink_connect_u(name, (SELECT c.url FROM notilog.cell c WHERE c.cell = number));
        PERFORM cell.dblink_exec(name, 'SET client_min_messages = error; SET idle_in_transaction_session_timeout = ''60s''; '
          'SET application_name = ''notilog cell''');
      END IF;
      -- The lock comes before the snapshot, so no version of a projection can be swapped between the two.
      PERFORM cell.dblink_exec(name, format('ROLLBACK; BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; '
        'SET LOCAL statement_timeout = %L; LOCK TABLE projection.checkpoint IN ACCESS SHARE MODE', current_setting('statement_timeout')));
      RETURN name;
    EXCEPTION WHEN connection_exception OR admin_shutdown OR cannot_connect_now OR crash_shutdown
        OR idle_in_transaction_session_timeout THEN
      PERFORM cell.leave(name);
      IF attempt = 2 THEN
        RAISE EXCEPTION 'cell % does not answer: %', number, SQLERRM USING ERRCODE = 'NL503';
      END IF;
    END;
  END LOOP;
END $$;

-- Ends the session in a cell, and what it is doing there.
CREATE OR REPLACE FUNCTION cell.leave(name text) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF cell.is_open(name) THEN
    IF cell.dblink_is_busy(name) = 1 THEN
      PERFORM cell.dblink_cancel_query(name);
    END IF;
    PERFORM cell.dblink_disconnect(name);
  END IF;
END $$;
