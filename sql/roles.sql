-- Notilog's roles, and what each may do. Applied by every `notilog migrate`, in a transaction, as far as its role may;
-- by hand, as a superuser: psql -1 -f roles.sql. Again, it changes nothing and takes no lock on a table.
--
--   notilog_owner      owns the log, apps and keys: migrates, creates apps and keys, grants access to readers
--   notilog_writer     stores events and answers requests: appends through log.append, reads everything
--   notilog_projector  settles the log, and owns the projections, which are computed from it
--   notilog_reader     reads reports, projections and the log from psql and BI tools, of the apps granted to it
--
-- They have no login. `notilog serve` needs a login that is a member of notilog_writer and notilog_projector, an analyst one
-- that is a member of notilog_reader. Roles belong to the cluster: two Notilog databases in one cluster share them, so let each
-- login CONNECT to its own database only.
--
-- Only the owner's functions may change or delete events in the log: notilog_writer has no INSERT on it either, so that every
-- append passes the epoch barrier of log.append.

DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY '{notilog_owner,notilog_writer,notilog_projector,notilog_reader}'::text[] LOOP
    IF to_regrole(wanted) IS NULL THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL;   -- another database of the cluster was quicker
      END;
    END IF;
  END LOOP;
  IF NOT pg_has_role(current_user, 'notilog_owner', 'MEMBER') THEN
    EXECUTE format('GRANT notilog_owner TO %I', current_user);
  END IF;
  -- The owner makes the projections' functions, erases from their tables, and makes readers.
  FOREACH wanted IN ARRAY '{notilog_writer,notilog_projector,notilog_reader}'::text[] LOOP
    IF NOT pg_has_role('notilog_owner', wanted, 'MEMBER WITH ADMIN OPTION') THEN
      BEGIN
        EXECUTE format('GRANT %I TO notilog_owner WITH ADMIN OPTION', wanted);
      EXCEPTION WHEN unique_violation OR internal_error THEN
        NULL;
      END;
    END IF;
  END LOOP;
END $$;

-- Owners ---------------------------------------------------------------------------------------------------------------

DO $$
BEGIN
  EXECUTE format('GRANT CREATE, TEMPORARY ON DATABASE %I TO notilog_owner, notilog_projector', current_database());
END $$;
SELECT notilog.grant_projection(nspname) FROM pg_namespace WHERE nspname ~ '^(projection|baseline)';
DO $$
DECLARE
  statement text;
BEGIN
  FOR statement IN
    SELECT format('ALTER SCHEMA %I OWNER TO notilog_owner', nspname)
    FROM pg_namespace
    WHERE nspname IN ('notilog', 'lock', 'log', 'report', 'reporting', 'readable', 'export', 'migration', 'cell') AND nspowner <> 'notilog_owner'::regrole
    UNION ALL
    SELECT format('ALTER %s %s OWNER TO notilog_owner',
      CASE c.relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, c.oid::regclass)
    FROM pg_class c
    WHERE c.relnamespace::regnamespace::text IN ('notilog', 'lock', 'log', 'report', 'reporting', 'export', 'migration')
      AND c.relkind IN ('r', 'p', 'v', 'S') AND c.relowner <> 'notilog_owner'::regrole
      AND NOT EXISTS (SELECT FROM pg_depend d   -- a column's own sequence goes with its table
        WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND c.relkind = 'S' AND d.deptype IN ('a', 'i'))
    UNION ALL   -- a swap of a projection's version recreates the views that read it
    SELECT 'GRANT USAGE, CREATE ON SCHEMA readable TO notilog_owner, notilog_projector'
    UNION ALL
    SELECT format('ALTER VIEW %s OWNER TO notilog_projector', c.oid::regclass)
    FROM pg_class c
    WHERE c.relnamespace = 'readable'::regnamespace AND c.relkind = 'v' AND c.relowner <> 'notilog_projector'::regrole
    UNION ALL
    SELECT format('ALTER ROUTINE %s OWNER TO %s', p.oid::regprocedure, wanted.owner)
    FROM pg_proc p
    JOIN pg_namespace n ON n.oid = p.pronamespace,
      LATERAL (SELECT CASE WHEN n.nspname ~ '^(projection|baseline)' THEN 'notilog_projector' ELSE 'notilog_owner' END) AS wanted (owner)
    WHERE n.nspname ~ '^(notilog$|lock$|log$|report$|reporting$|readable$|export$|cell$|projection|baseline)' AND p.proowner <> wanted.owner::regrole
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
  LOOP
    EXECUTE statement;
  END LOOP;
  -- The role that applies projections may build and swap their versions.
  FOR statement IN
    SELECT format('GRANT CREATE ON SCHEMA %I TO notilog_owner', nspname)
    FROM pg_namespace WHERE nspname ~ '^(projection|baseline)'
  LOOP
    EXECUTE statement;
  END LOOP;
END $$;

-- Privileges -----------------------------------------------------------------------------------------------------------

GRANT USAGE ON SCHEMA notilog, log, projection, report, reporting, readable
  TO notilog_writer, notilog_projector, notilog_reader;
GRANT USAGE ON SCHEMA migration, export TO notilog_writer, notilog_projector;
-- A role that cannot name a lock's table cannot lock it, not even with a statement that is denied in the end. The service's
-- roles lock through the owner's functions.
REVOKE ALL ON SCHEMA lock FROM PUBLIC, notilog_reader;
REVOKE ALL ON ALL TABLES IN SCHEMA lock FROM PUBLIC, notilog_reader, notilog_writer, notilog_projector;
GRANT USAGE ON SCHEMA lock TO notilog_writer, notilog_projector;

-- Functions run with the caller's privileges, except the owner's own, which only the service may call.
REVOKE ALL ON ALL ROUTINES IN SCHEMA notilog, lock, log, projection, report, reporting, readable, export FROM PUBLIC;
GRANT EXECUTE ON ALL ROUTINES IN SCHEMA notilog, lock, log, projection, report, reporting, readable, export
  TO notilog_writer, notilog_projector;
GRANT EXECUTE ON ALL ROUTINES IN SCHEMA log, projection, report, reporting, readable TO notilog_reader;
GRANT EXECUTE ON FUNCTION notilog.readable_apps(), notilog.verdict(integer, text, text, timestamptz),
  notilog.verdict_sentence(text, text, text) TO notilog_reader;
DO $$
DECLARE
  definer regprocedure;
BEGIN
  FOR definer IN
    SELECT oid FROM pg_proc
    WHERE prosecdef AND pronamespace::regnamespace::text IN ('log', 'projection', 'report', 'reporting', 'readable')
      -- Those see to it themselves that who calls may read the app.
      AND NOT notilog.asks_cells(oid) AND proname <> 'leave_cells'
  LOOP
    EXECUTE format('REVOKE ALL ON ROUTINE %s FROM notilog_reader', definer);
  END LOOP;
END $$;

GRANT SELECT ON ALL TABLES IN SCHEMA notilog, log, export, migration TO notilog_writer, notilog_projector;
GRANT SELECT ON ALL TABLES IN SCHEMA readable TO notilog_writer, notilog_projector, notilog_reader;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA log TO notilog_writer, notilog_projector, notilog_reader;
GRANT INSERT, UPDATE (events) ON log.tally TO notilog_writer;
GRANT INSERT, UPDATE (replayed_at) ON log.quarantine TO notilog_writer;
GRANT INSERT, DELETE, UPDATE (count, imported_at) ON notilog.push_console TO notilog_writer;
GRANT INSERT ON notilog.dimension TO notilog_projector;
GRANT INSERT ON notilog.id_hash_secret TO notilog_writer;
-- An erasure waits for the appends under way: it closes their epoch.
GRANT UPDATE (epoch, drained_epoch) ON log.state TO notilog_writer;
GRANT UPDATE (epoch, drained_epoch, settled_position) ON log.state TO notilog_projector;
DO $$
BEGIN
  IF to_regclass('log.erasure_secret') IS NOT NULL THEN   -- the owner's functions read it
    REVOKE ALL ON log.erasure_secret FROM notilog_writer, notilog_projector;
  END IF;
END $$;
-- Views of the log read it as who reads them, so that row security counts.
DO $$
DECLARE
  view regclass;
BEGIN
  FOR view IN SELECT oid FROM pg_class WHERE relnamespace = 'log'::regnamespace AND relkind = 'v' LOOP
    EXECUTE format('ALTER VIEW %s SET (security_invoker = true)', view);
    IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = view AND attname = 'app_id') THEN
      EXECUTE format('GRANT SELECT ON %s TO notilog_reader', view);
    END IF;
  END LOOP;
END $$;
GRANT SELECT ON log.event, log.quarantine, log.tally, log.state, log.copied, projection.checkpoint, notilog.app, notilog.reader_app,
  notilog.push_console, notilog.annotation, notilog.saved_view TO notilog_reader;

SELECT notilog.protect_rows(relation)
FROM unnest('{log.event,log.quarantine,log.tally,notilog.app,notilog.push_console,notilog.annotation,notilog.saved_view}'::regclass[]) AS relation;
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = 'notilog.reader_app'::regclass) THEN
    ALTER TABLE notilog.reader_app ENABLE ROW LEVEL SECURITY;
    CREATE POLICY service ON notilog.reader_app TO notilog_writer, notilog_projector USING (true);
    CREATE POLICY reader ON notilog.reader_app FOR SELECT TO notilog_reader
      USING (EXISTS (SELECT FROM pg_roles r WHERE r.rolname = role_name AND pg_has_role(r.oid, 'USAGE')));
  END IF;
END $$;

-- Readers do not block others ------------------------------------------------------------------------------------------

DO $$
DECLARE
  moment text;
BEGIN
  -- Only a superuser may create them, or the equivalent role of a managed server: `notilog doctor` says if they are missing.
  FOREACH moment IN ARRAY '{start,end}'::text[] LOOP
    IF NOT EXISTS (SELECT FROM pg_event_trigger WHERE evtname = 'notilog_brief_locks_' || moment) THEN
      BEGIN
        EXECUTE format('CREATE EVENT TRIGGER notilog_brief_locks_%s ON ddl_command_%1$s EXECUTE FUNCTION notilog.brief_locks()', moment);
      EXCEPTION WHEN insufficient_privilege THEN
        NULL;
      END;
    END IF;
  END LOOP;
END $$;

-- Readers store nothing ------------------------------------------------------------------------------------------------

DO $$
DECLARE
  storing regprocedure;
BEGIN
  -- Large objects and logical messages take disk, and everybody may make them unless a superuser forbids it: `notilog doctor` says
  -- if nobody has.
  FOR storing IN SELECT f.routine FROM notilog.storing_functions() AS f (routine) WHERE has_function_privilege('notilog_reader', f.routine, 'EXECUTE') LOOP
    BEGIN
      EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', storing);
    EXCEPTION WHEN insufficient_privilege THEN
      NULL;
    END;
  END LOOP;
END $$;
