-- Functions of PostgreSQL that store what they are given, outside every table.
CREATE OR REPLACE FUNCTION notilog.storing_functions() RETURNS SETOF regprocedure
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.oid::regprocedure FROM pg_proc p
  WHERE p.pronamespace = 'pg_catalog'::regnamespace
    AND p.proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'pg_logical_emit_message')
$$;
