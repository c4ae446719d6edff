-- Privileges that no role should have, in words: to change the log, except for its owner, and to read rows without row
-- security.
CREATE OR REPLACE FUNCTION notilog.superfluous_rights() RETURNS SETOF text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('%s may %s %s', coalesce(r.rolname, 'everybody'), a.privilege_type, c.oid::regclass)
  FROM pg_class c, aclexplode(c.relacl) a
  LEFT JOIN pg_roles r ON r.oid = a.grantee
  WHERE c.relnamespace = to_regnamespace('log') AND c.relkind IN ('r', 'p') AND a.grantee <> c.relowner
    AND (c.relname = 'event' OR c.relname = 'identity' OR c.relispartition)
    AND a.privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER')
  UNION ALL
  SELECT 'readers can block everybody with CREATE RULE: run `notilog migrate` as a superuser, which creates event triggers '
    'against it'
  WHERE (SELECT count(*) FROM pg_event_trigger WHERE evtname ~ '^notilog_brief_locks_(start|end)$' AND evtenabled <> 'D') < 2
  UNION ALL
  -- A role that can name them can block the service.
  SELECT format('%s may %s schema lock', coalesce(r.rolname, 'everybody'), a.privilege_type)
  FROM pg_namespace n, aclexplode(n.nspacl) a
  LEFT JOIN pg_roles r ON r.oid = a.grantee
  WHERE n.nspname = 'lock' AND a.grantee <> n.nspowner
    AND coalesce(r.rolname, '') NOT IN ('notilog_writer', 'notilog_projector')
  UNION ALL
  SELECT format('readers see the rows of every app in %s', c.oid::regclass)
  FROM pg_class c
  JOIN pg_roles r ON r.rolname = 'notilog_reader'
  WHERE c.relnamespace::regnamespace::text ~ '^(log$|notilog$|readable$|projection|baseline)'
    AND CASE WHEN c.relkind IN ('r', 'p') THEN NOT c.relrowsecurity
      WHEN c.relkind = 'v' THEN NOT coalesce(c.reloptions, '{}') && '{security_invoker=true,security_invoker=on}' END
    AND has_table_privilege(r.oid, c.oid, 'SELECT')
    AND EXISTS (SELECT FROM pg_attribute t WHERE t.attrelid = c.oid AND t.attname = 'app_id')
$$;
