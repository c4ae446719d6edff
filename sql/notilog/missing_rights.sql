-- The privileges of roles.sql that Notilog's roles lack, in words; empty if none is missing.
CREATE OR REPLACE FUNCTION notilog.missing_rights() RETURNS SETOF text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('the role %s is missing', wanted)
  FROM unnest('{notilog_owner,notilog_writer,notilog_projector,notilog_reader}'::text[]) AS wanted
  WHERE to_regrole(wanted) IS NULL
  UNION ALL
  SELECT format('%s may not %s %s', r.rolname, wanted.privilege, wanted.relation)
  FROM (
    VALUES ('notilog_writer', 'SELECT', 'log.event'), ('notilog_writer', 'SELECT', 'log.identity'),
      ('notilog_writer', 'SELECT', 'notilog.app'), ('notilog_writer', 'SELECT', 'notilog.api_key'),
      ('notilog_writer', 'INSERT', 'notilog.id_hash_secret'), ('notilog_writer', 'INSERT', 'log.tally'), ('notilog_writer', 'INSERT', 'log.quarantine'),
      ('notilog_writer', 'SELECT', 'migration.applied'), ('notilog_projector', 'SELECT', 'log.event'),
      ('notilog_projector', 'SELECT', 'log.state'), ('notilog_reader', 'SELECT', 'log.event')
    UNION ALL
    SELECT role, 'SELECT', c.oid::regclass::text
    FROM pg_class c, unnest('{notilog_writer,notilog_projector}'::text[]) AS role
    WHERE c.relnamespace = to_regnamespace('projection') AND c.relkind IN ('r', 'p', 'v')
  ) AS wanted (role, privilege, relation)
  JOIN pg_roles r ON r.rolname = wanted.role
  WHERE to_regclass(wanted.relation) IS NOT NULL AND NOT has_table_privilege(r.oid, to_regclass(wanted.relation), wanted.privilege)
  UNION ALL
  SELECT format('%s may not call %s', r.rolname, p.oid::regprocedure)
  FROM pg_proc p, pg_roles r
  WHERE p.pronamespace::regnamespace::text IN ('lock', 'log', 'projection', 'report', 'reporting', 'readable', 'export')
    AND r.rolname IN ('notilog_writer', 'notilog_projector') AND NOT has_function_privilege(r.oid, p.oid, 'EXECUTE')
  UNION ALL
  -- A copy of a database has none of the privileges on the database itself.
  SELECT format('%s may not create schemas in this database', r.rolname)
  FROM pg_roles r
  WHERE r.rolname IN ('notilog_owner', 'notilog_projector') AND NOT has_database_privilege(r.oid, current_database(), 'CREATE')
  UNION ALL
  SELECT format('%s may not use schema %s', r.rolname, n.nspname)
  FROM pg_namespace n, pg_roles r
  WHERE n.nspname IN ('log', 'projection', 'report', 'reporting', 'readable', 'notilog')
    AND r.rolname IN ('notilog_writer', 'notilog_projector', 'notilog_reader')
    AND NOT has_schema_privilege(r.oid, n.oid, 'USAGE')
$$;
