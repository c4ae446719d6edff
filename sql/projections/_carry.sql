-- Copies properties beyond the definition from the version in use to the tables and views of the new one: owner, privileges,
-- row security with its policies, added indexes. It takes no lock on the version in use that delays a reader or a batch, and
-- may be called again.
--
-- It locks each table of the new version before changing it: an autovacuum under way on one ends first, which prevents a
-- deadlock over its catalogue row. Before those it locks lock.still: an erasure, which stops all batches, never waits for
-- these tables, nor for what their holder waits for.
CREATE OR REPLACE FUNCTION projection.carry(beside text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  statement text;
BEGIN
  PERFORM lock.shared('still');
  FOR statement IN
    SELECT format('LOCK TABLE %I.%I IN ACCESS EXCLUSIVE MODE', beside, relname)
    FROM pg_class WHERE relnamespace = beside::regnamespace AND relkind IN ('r', 'p')
  LOOP
    EXECUTE statement;
  END LOOP;
  FOR statement IN
    WITH pair AS (
      SELECT n.relname, n.relkind, n.relacl AS new_acl, o.oid AS old_oid, o.relacl AS old_acl, o.relowner AS owner,
        n.oid AS new_oid, n.relowner AS new_owner, o.relrowsecurity, o.relforcerowsecurity,
        CASE n.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END AS what
      FROM pg_class n
      JOIN pg_class o ON o.relname = n.relname AND o.relkind = n.relkind AND o.relnamespace = 'projection'::regnamespace
      WHERE n.relnamespace = beside::regnamespace AND n.relkind IN ('r', 'p', 'v')
    ), granted AS (
      SELECT relname, '' AS columns, a.privilege_type, a.grantee, a.is_grantable
      FROM pair, aclexplode(old_acl) a WHERE a.grantee <> owner
      UNION ALL
      SELECT relname, format('(%I)', c.attname), a.privilege_type, a.grantee, a.is_grantable
      FROM pair JOIN pg_attribute c ON c.attrelid = old_oid, aclexplode(c.attacl) a
      WHERE EXISTS (SELECT FROM pg_attribute w WHERE w.attrelid = new_oid AND w.attname = c.attname)
    )
    SELECT format('ALTER %s %I.%I OWNER TO %I', what, beside, relname, pg_get_userbyid(owner))
    FROM pair WHERE owner <> new_owner
    UNION ALL
    SELECT format('GRANT %s %s ON TABLE %I.%I TO %s%s', privilege_type, columns, beside, relname,
      CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
      CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
    FROM granted
    UNION ALL
    SELECT format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY', beside, relname) FROM pair WHERE relrowsecurity
    UNION ALL
    SELECT format('ALTER TABLE %I.%I FORCE ROW LEVEL SECURITY', beside, relname) FROM pair WHERE relforcerowsecurity
    UNION ALL
    SELECT format('CREATE POLICY %I ON %I.%I AS %s FOR %s TO %s%s%s', p.policyname, beside, relname, p.permissive, p.cmd,
      (SELECT string_agg(CASE r WHEN 'public' THEN 'PUBLIC' ELSE quote_ident(r) END, ', ') FROM unnest(p.roles) r),
      ' USING (' || p.qual || ')', ' WITH CHECK (' || p.with_check || ')')
    FROM pair JOIN pg_policies p ON p.schemaname = 'projection' AND p.tablename = relname
    WHERE NOT EXISTS (SELECT FROM pg_policy w WHERE w.polrelid = new_oid AND w.polname = p.policyname)
    UNION ALL
    SELECT replace(pg_get_indexdef(i.indexrelid), format(' ON projection.%I ', pair.relname),
      format(' ON %I.%I ', beside, pair.relname))
    FROM pair JOIN pg_index i ON i.indrelid = old_oid JOIN pg_class x ON x.oid = i.indexrelid
    WHERE NOT i.indisprimary AND i.indisvalid AND NOT EXISTS (
      SELECT FROM pg_class w WHERE w.relnamespace = beside::regnamespace AND w.relname = x.relname)
  LOOP
    EXECUTE statement;
  END LOOP;
END $$;
