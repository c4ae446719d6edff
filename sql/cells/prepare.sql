-- Makes what a coordinator needs to ask other cells: dblink in a schema of its own, and the function that connects. Takes a superuser,
-- to whom all of it belongs: a session that takes no password may be anybody's, so it goes to none but these URLs.
CREATE OR REPLACE FUNCTION cell.prepare(urls text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $prepare$
DECLARE
  known text[];
BEGIN
  IF EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'dblink' AND e.extnamespace::regnamespace::text <> 'dblink') THEN
    RAISE EXCEPTION 'the extension dblink is in another schema, where everybody may use it: ALTER EXTENSION dblink SET SCHEMA dblink'
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  SET LOCAL client_min_messages = warning;
  CREATE SCHEMA IF NOT EXISTS dblink;
  CREATE EXTENSION IF NOT EXISTS dblink SCHEMA dblink;
  REVOKE ALL ON SCHEMA dblink FROM PUBLIC;
  GRANT USAGE ON SCHEMA dblink TO notilog_owner;
  CREATE TABLE IF NOT EXISTS dblink.cell (cell smallint PRIMARY KEY, url text NOT NULL);
  REVOKE ALL ON dblink.cell FROM PUBLIC;
  SELECT array_agg(c.url ORDER BY c.cell) INTO known FROM dblink.cell c;
  IF known IS NULL THEN
    INSERT INTO dblink.cell SELECT n, urls[n] FROM generate_subscripts(urls, 1) AS n;
  ELSIF known <> urls THEN
    RAISE EXCEPTION 'this database is the coordinator of other cells already: see `notilog cluster status`'
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  -- What is silent for some seconds is given up, as nothing interrupts the wait for it.
  CREATE OR REPLACE FUNCTION dblink.connect_cell(name text, number smallint) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $connect$
    SELECT dblink.dblink_connect_u(name, c.url || CASE
      WHEN c.url !~ '^postgres(ql)?://' THEN ' connect_timeout=5 keepalives_idle=5 keepalives_interval=3 keepalives_count=3 tcp_user_timeout=15000'
      ELSE CASE WHEN c.url LIKE '%?%' THEN '&' ELSE '?' END
        || 'connect_timeout=5&keepalives_idle=5&keepalives_interval=3&keepalives_count=3&tcp_user_timeout=15000' END)
    FROM dblink.cell c WHERE c.cell = number
  $connect$;
  REVOKE ALL ON FUNCTION dblink.connect_cell(text, smallint) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION dblink.connect_cell(text, smallint) TO notilog_owner;
END $prepare$;
