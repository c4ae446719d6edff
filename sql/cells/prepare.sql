-- Makes what a coordinator needs to ask other cells: dblink, for the owner alone. Takes a superuser.
CREATE OR REPLACE FUNCTION cell.prepare() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (
    SELECT FROM pg_extension e WHERE e.extname = 'dblink' AND e.extnamespace <> 'cell'::regnamespace)
  THEN
    RAISE EXCEPTION 'the extension dblink is in another schema, where everybody may use it'
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'ALTER EXTENSION dblink SET SCHEMA cell';
  END IF;
  SET LOCAL client_min_messages = warning;
  CREATE EXTENSION IF NOT EXISTS dblink SCHEMA cell;
  GRANT EXECUTE ON FUNCTION cell.dblink_connect_u(text, text) TO notilog_owner;
END $$;
