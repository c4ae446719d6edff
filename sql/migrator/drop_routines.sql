-- Drops the routines of these files' schemas that this transaction has not made or replaced. Those of extensions stay, and those
-- of projections that keep the tables of an earlier release (the setting notilog.kept). Those that an index, a policy or a
-- default depends on stay too, and are replaced in place.
DO $$
DECLARE
  routine regprocedure;
BEGIN
  FOR routine IN
    SELECT p.oid FROM pg_proc p
    WHERE p.pronamespace::regnamespace::text IN ('notilog', 'lock', 'log', 'projection', 'reporting', 'report', 'readable', 'export')
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
END $$;
