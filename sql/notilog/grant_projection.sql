-- Gives the tables and views of a schema of projections to the role that applies them, and grants access to the service and
-- to readers: for `projection` itself, and for every schema of a version under construction. Run by that role or by the
-- owner after creating the tables; running it again changes nothing. Does nothing without Notilog's roles.
--
-- Readers see the rows of their apps in tables with an app_id, and views by their own definition; no other tables.
CREATE OR REPLACE FUNCTION notilog.grant_projection(schema_name name) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET client_min_messages = warning AS $$
DECLARE
  part record;
BEGIN
  IF to_regrole('notilog_projector') IS NULL THEN
    RETURN;
  END IF;
  FOR part IN
    SELECT format('%I', schema_name) AS name, 'SCHEMA' AS type, 'USAGE' AS privilege, nspowner AS owner, oid AS relation,
      true AS is_read
    FROM pg_namespace WHERE nspname = schema_name
    UNION ALL
    SELECT c.oid::regclass::text, CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, 'SELECT',
      c.relowner, c.oid, c.relkind <> 'S' AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'app_id')
    FROM pg_class c
    WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = schema_name)
      AND c.relkind IN ('r', 'p', 'v', 'S') AND NOT c.relispartition
      -- A sequence goes with the column that it belongs to.
      AND NOT EXISTS (SELECT FROM pg_depend d
        WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND c.relkind = 'S' AND d.deptype IN ('a', 'i'))
  LOOP
    IF part.owner <> 'notilog_projector'::regrole THEN
      EXECUTE format('ALTER %s %s OWNER TO notilog_projector', part.type, part.name);
    END IF;
    IF part.type = 'TABLE' AND part.is_read THEN
      PERFORM notilog.protect_rows(part.relation);
    ELSIF part.type = 'VIEW' THEN
      -- Otherwise it would read its tables as its owner, whom no policy restricts.
      EXECUTE format('ALTER VIEW %s SET (security_invoker = true)', part.name);
    END IF;
    EXECUTE format('GRANT %s ON %s %s TO notilog_writer', part.privilege,
      CASE part.type WHEN 'VIEW' THEN 'TABLE' ELSE part.type END, part.name);
    IF part.is_read THEN
      EXECUTE format('GRANT %s ON %s %s TO notilog_reader', part.privilege,
        CASE part.type WHEN 'VIEW' THEN 'TABLE' ELSE part.type END, part.name);
    END IF;
  END LOOP;
END $$;
