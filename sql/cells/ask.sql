-- Sends a query to every other cell, for what it counts of an app, and returns the names of the sessions that it went to. Null if who
-- calls may not read the app.
CREATE OR REPLACE FUNCTION cell.ask(app integer, query text) RETURNS text[]
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  names text[] := '{}';
  other smallint;
BEGIN
  IF NOT cell.may_read(app) THEN
    RETURN NULL;
  END IF;
  FOR other IN SELECT c.cell FROM notilog.cell c WHERE c.cell > 0 ORDER BY c.cell LOOP
    IF current_setting('notilog.in_cells', true) = 'on' AND cell.is_open(cell.session_name(other)) THEN
      names := names || cell.session_name(other);
    ELSE
      names := names || cell.begin(other);
    END IF;
  END LOOP;
  PERFORM set_config('notilog.in_cells', 'on', true);
  FOR n IN 1 .. cardinality(names) LOOP
    IF dblink.dblink_send_query(names[n], query) <> 1 THEN
      RAISE EXCEPTION '%', dblink.dblink_error_message(names[n]) USING ERRCODE = 'connection_failure';
    END IF;
  END LOOP;
  RETURN names;
END $$;

-- Whether the role that calls the caller's SECURITY DEFINER function may read an app. The service reads all.
CREATE OR REPLACE FUNCTION cell.may_read(app integer) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT cell.is_service() OR EXISTS (
    SELECT FROM notilog.reader_app g JOIN pg_roles m ON m.rolname = g.role_name
    WHERE g.app_id = app AND pg_has_role(cell.caller(), m.oid, 'USAGE'))
$$;
