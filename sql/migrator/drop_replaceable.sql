-- Drops the routines of these files' schemas, and the views of the schema notilog, whose rows routines return, if this transaction
-- has not made or replaced them. Objects of extensions stay, and routines of projections that keep the tables of an earlier
-- release (the setting notilog.kept). What an index, a policy or a default depends on stays too, and is replaced in place.
DO $$
DECLARE
  routine regprocedure;
  row_shape regclass;
BEGIN
  FOR routine IN
    SELECT p.oid FROM pg_proc p
    WHERE p.pronamespace::regnamespace::text IN ('notilog', 'lock', 'log', 'projection', 'reporting', 'report', 'readable', 'export', 'cell')
      AND NOT (p.pronamespace = 'projection'::regnamespace
        AND p.proname = ANY (string_to_array(coalesce(current_setting('notilog.kept', true), ''), ' ')))
      AND NOT EXISTS (SELECT FROM pg_depend d
        WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
      -- What was made or replaced just now bears this transaction's number.
      AND p.xmin <> pg_current_xact_id()::xid
  LOOP
    BEGIN
      EXECUTE 'DROP ROUTINE IF EXISTS ' || routine;
    EXCEPTION WHEN dependent_objects_still_exist THEN
      NULL;
    END;
  END LOOP;
  FOR row_shape IN
    SELECT c.oid FROM pg_class c
    WHERE c.relkind = 'v' AND c.relnamespace = to_regnamespace('notilog')
      AND NOT EXISTS (SELECT FROM pg_depend d
        WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
      AND c.xmin <> pg_current_xact_id()::xid
  LOOP
    BEGIN
      EXECUTE 'DROP VIEW IF EXISTS ' || row_shape;
    EXCEPTION WHEN dependent_objects_still_exist THEN
      NULL;
    END;
  END LOOP;
END $$;
