-- Sends a query to every other cell, for what it counts of an app, and returns the names of the sessions that it went to. Null if who
-- calls may not read the app.
CREATE OR REPLACE FUNCTION cell.ask(app integer, query text) RETURNS text[]
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  names text[] := '{}';
  other notilog.cell;
BEGIN
  IF NOT cell.may_read(app) THEN
    RETURN NULL;
  END IF;
  FOR other IN SELECT * FROM notilog.cell c WHERE c.cell > 0 ORDER BY c.cell LOOP
    names := names || CASE WHEN current_setting('notilog.in_cells', true) = 'on' THEN cell.session_name(other.cell)
      ELSE cell.begin(other.cell) END;
  END LOOP;
  PERFORM set_config('notilog.in_cells', 'on', true);
  FOR n IN 1 .. cardinality(names) LOOP
    IF cell.dblink_send_query(names[n], query) <> 1 THEN
      RAISE EXCEPTION '%', cell.dblink_error_message(names[n]) USING ERRCODE = 'connection_failure';
    END IF;
  END LOOP;
  RETURN names;
END $$;

-- Waits until a cell has answered. dblink itself would wait where no signal reaches it.
CREATE OR REPLACE FUNCTION cell.await(name text) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  pause double precision := 0.0002;
BEGIN
  WHILE cell.dblink_is_busy(name) = 1 LOOP
    PERFORM pg_sleep(pause);
    pause := least(pause * 1.5, 0.01);
  END LOOP;
END $$;

-- Whether the role that calls the caller's SECURITY DEFINER function may read an app. The service reads all.
CREATE OR REPLACE FUNCTION cell.may_read(app integer) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT pg_has_role(r.name, 'notilog_writer', 'USAGE') OR EXISTS (
    SELECT FROM notilog.reader_app g JOIN pg_roles m ON m.rolname = g.role_name
    WHERE g.app_id = app AND pg_has_role(r.name, m.oid, 'USAGE'))
  FROM (SELECT CASE current_setting('role') WHEN 'none' THEN session_user ELSE current_setting('role')::name END AS name) r
$$;
