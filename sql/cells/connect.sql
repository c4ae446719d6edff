-- The sessions that this one has in the other cells, for what they count. They last as long as this session. Their transactions
-- begin with the first question of a transaction here, and are on one snapshot each, until reporting.leave_cells() or for fifteen idle
-- seconds.

-- The name of the session in a cell: another one once the cell has moved, so that nobody goes on reading the server that it left.
CREATE OR REPLACE FUNCTION cell.session_name(number smallint) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('notilog_cell_%s_%s', number, md5(c.url)) FROM notilog.cell c WHERE c.cell = number
$$;

-- Whether there is such a session.
CREATE OR REPLACE FUNCTION cell.is_open(name text) RETURNS boolean
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(name = ANY (dblink.dblink_get_connections()), false)
$$;

-- Runs commands in a session. dblink itself would wait for their end where no signal reaches it.
CREATE OR REPLACE FUNCTION cell.command(name text, commands text) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF dblink.dblink_send_query(name, commands) <> 1 THEN
    RAISE EXCEPTION '%', dblink.dblink_error_message(name) USING ERRCODE = 'connection_failure';
  END IF;
  LOOP
    PERFORM cell.await(name);
    PERFORM FROM dblink.dblink_get_result(name) AS r (status text);
    EXIT WHEN NOT FOUND;
  END LOOP;
END $$;

-- Waits until a cell has answered.
CREATE OR REPLACE FUNCTION cell.await(name text) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  pause double precision := 0.0002;
BEGIN
  WHILE dblink.dblink_is_busy(name) = 1 LOOP
    PERFORM pg_sleep(pause);
    pause := least(pause * 1.5, 0.01);
  END LOOP;
END $$;

-- Begins a transaction in a cell, on a new session if there is none that answers. NL503: the cell does not answer.
CREATE OR REPLACE FUNCTION cell.begin(number smallint) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  name    constant text := cell.session_name(number);
  was_new boolean;
  reason  text;
BEGIN
  LOOP
    was_new := NOT cell.is_open(name);
    BEGIN
      IF was_new THEN
        PERFORM cell.leave(n) FROM unnest(dblink.dblink_get_connections()) AS u (n) WHERE n LIKE format('notilog\_cell\_%s\_%%', number);
        PERFORM dblink.connect_cell(name, number);
        PERFORM cell.command(name, 'SET client_min_messages = error; SET idle_in_transaction_session_timeout = ''15s''; '
          'SET application_name = ''notilog cell''; SET datestyle = ''ISO, MDY''; SET intervalstyle = postgres; SET extra_float_digits = 1');
      ELSIF dblink.dblink_is_busy(name) = 1 THEN
        RAISE connection_exception;   -- a statement that was cancelled here goes on there
      END IF;
      -- The lock comes before the snapshot, so no version of a projection can be swapped between the two.
      PERFORM cell.command(name, format('ROLLBACK; BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = %L; '
        'SET LOCAL timezone = %L; LOCK TABLE projection.checkpoint IN ACCESS SHARE MODE', current_setting('statement_timeout'),
        current_setting('timezone')));
      RETURN name;
    EXCEPTION WHEN connection_exception OR admin_shutdown OR cannot_connect_now OR crash_shutdown
        OR idle_in_transaction_session_timeout THEN
      GET STACKED DIAGNOSTICS reason = PG_EXCEPTION_DETAIL;
      PERFORM cell.leave(name);
      IF was_new THEN
        -- The reason may name hosts and logins: for operators.
        RAISE EXCEPTION 'cell % does not answer', number USING ERRCODE = 'NL503',
          DETAIL = CASE WHEN cell.is_service() THEN reason ELSE '' END;
      END IF;
    END;
  END LOOP;
END $$;

-- Ends the session in a cell. What it is doing there ends by that cell's time limit: to cancel it could take as long as to wait.
CREATE OR REPLACE FUNCTION cell.leave(name text) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF cell.is_open(name) THEN
    PERFORM dblink.dblink_disconnect(name);
  END IF;
END $$;

-- The role that calls a SECURITY DEFINER function.
CREATE OR REPLACE FUNCTION cell.caller() RETURNS name
LANGUAGE sql STABLE AS $$
  SELECT CASE current_setting('role') WHEN 'none' THEN session_user ELSE current_setting('role')::name END
$$;

-- Whether that is the service, which reads every app.
CREATE OR REPLACE FUNCTION cell.is_service() RETURNS boolean
LANGUAGE sql STABLE AS $$ SELECT pg_has_role(cell.caller(), 'notilog_writer', 'USAGE') $$;
