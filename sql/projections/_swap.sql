-- Swaps the version of a group in use with the one built in the schema `beside`, with checkpoint and events set aside. The old
-- version stays in the schema `old`. Runs in the caller's transaction, in a session that holds the lock of the version in use
-- and has applied the new version up to the same position.
--
-- Readers that report a position lock projection.checkpoint first, before their snapshot, and tables after it. This locks in
-- the same order: a reader of the old checkpoint reads the old tables. It tries for less than a second, and then gives up with
-- lock_not_available; the caller tries again later.
CREATE OR REPLACE FUNCTION projection.swap(beside text, leader text, old text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  lock   text;
  served text[];
  views  jsonb;
  step   record;
  own    oid;
  rights aclitem[];
  is_paused boolean;
BEGIN
  SELECT array_agg(c.oid::regclass::text) INTO served
  FROM projection.version v
  JOIN pg_class c ON c.relname = ANY (v.objects)
  WHERE (v.schema_name, v.leader) = ('projection', swap.leader)
    AND c.relnamespace = 'projection'::regnamespace AND c.relkind IN ('r', 'p', 'v');

  -- Views of others read the tables by identity, not by name: they are replaced.
  WITH RECURSIVE reader (view, depth) AS (
    SELECT r.ev_class, 1
    FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
    WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass
      AND d.refobjid = ANY (served::regclass[]) AND r.ev_class <> ALL (served::regclass[])
    UNION
    SELECT r.ev_class, depth + 1
    FROM reader
    JOIN pg_depend d ON d.refobjid = view AND d.refclassid = 'pg_class'::regclass AND d.classid = 'pg_rewrite'::regclass
    JOIN pg_rewrite r ON r.oid = d.objid
    WHERE r.ev_class <> view
  )
  SELECT coalesce(jsonb_agg(jsonb_build_object('name', c.oid::regclass::text, 'kind', c.relkind,
    'options', array_to_string(c.reloptions, ', '), 'definition', pg_get_viewdef(c.oid)) ORDER BY depth), '[]')
  INTO views
  FROM (SELECT view, max(depth) AS depth FROM reader GROUP BY view) r
  JOIN pg_class c ON c.oid = r.view;
  FOR step IN SELECT v->>'name' AS name FROM jsonb_array_elements(views) v WHERE v->>'kind' <> 'v' LOOP
    RAISE EXCEPTION 'the materialized view % reads the projection: drop it, rebuild, and make it again', step.name
      USING ERRCODE = 'dependent_objects_still_exist';
  END LOOP;

  PERFORM projection.lock_tables(
    ARRAY['projection.checkpoint']
      || ARRAY(SELECT v->>'name' FROM jsonb_array_elements(views) WITH ORDINALITY AS x (v, n) ORDER BY n DESC) || served,
    clock_timestamp() + interval '800 ms');

  -- Neither moves any more. If the version in use has moved, because its lock was lost, the new one has to catch up first.
  IF (SELECT max(c.position) FROM projection.checkpoint c WHERE c.name = swap.leader)
      > (SELECT min(l.position) FROM projection.version_lane l WHERE (l.schema_name, l.leader) = (beside, swap.leader)) THEN
    RAISE EXCEPTION 'the version in use has moved on' USING ERRCODE = 'lock_not_available';
  END IF;

  EXECUTE format('CREATE SCHEMA %I', old);
  -- An erasure before it is dropped changes its rows too.
  PERFORM notilog.grant_projection(old::name);
  FOR step IN
    SELECT n, format('ALTER %s %s SET SCHEMA %I', CASE c.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, name, old) AS statement
    FROM unnest(served) WITH ORDINALITY AS s (name, n) JOIN pg_class c ON c.oid = name::regclass
    ORDER BY n
  LOOP
    EXECUTE step.statement;
  END LOOP;
  FOR step IN
    SELECT format('ALTER %s %I.%I SET SCHEMA projection',
      CASE c.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, beside, relname) AS statement
    FROM pg_class c
    WHERE relnamespace = beside::regnamespace AND relkind IN ('r', 'p', 'v')
  LOOP
    EXECUTE step.statement;
  END LOOP;
  PERFORM notilog.make_readable(c.oid::regclass, c.relname)
  FROM projection.version v
  JOIN pg_class c ON c.relname = ANY (v.objects)
  WHERE (v.schema_name, v.leader) = (beside, swap.leader)
    AND c.relnamespace = 'projection'::regnamespace AND c.relkind IN ('r', 'p', 'v')
    AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'app_id');
  FOR step IN
    SELECT format('CREATE OR REPLACE VIEW %s %s AS %s', v->>'name', 'WITH (' || (v->>'options') || ')', v->>'definition') AS statement
    FROM jsonb_array_elements(views) WITH ORDINALITY AS x (v, n)
    WHERE v->>'name' NOT LIKE 'readable.%' ORDER BY n
  LOOP
    EXECUTE step.statement;
  END LOOP;

  -- Functions that are the same stay as they are; others get the owner and privileges of the group's own.
  SELECT proowner, proacl INTO own, rights
  FROM pg_proc
  WHERE pronamespace = 'projection'::regnamespace AND proname = ANY ((
    SELECT v.objects FROM projection.version v WHERE (v.schema_name, v.leader) = ('projection', swap.leader))::text[])
  LIMIT 1;
  FOR step IN
    SELECT format('%I.%I(%s)', beside, f.proname, pg_get_function_identity_arguments(f.oid)) AS name,
      format('%I(%s)', f.proname, pg_get_function_identity_arguments(f.oid)) AS signature,
      o.oid::regprocedure::text AS replaced
    FROM pg_proc f
    LEFT JOIN pg_proc o ON o.pronamespace = 'projection'::regnamespace AND o.proname = f.proname
      AND o.proargtypes = f.proargtypes
    WHERE f.pronamespace = beside::regnamespace
      AND (o.oid IS NULL OR replace(pg_get_functiondef(f.oid), beside || '.', 'projection.')
        <> pg_get_functiondef(o.oid))
  LOOP
    IF step.replaced IS NOT NULL THEN
      EXECUTE 'DROP FUNCTION ' || step.replaced;
    END IF;
    EXECUTE format('ALTER FUNCTION %s SET SCHEMA projection', step.name);
    FOR lock IN
      SELECT format('REVOKE ALL ON FUNCTION projection.%s FROM PUBLIC', step.signature)
      UNION ALL
      SELECT format('GRANT EXECUTE ON FUNCTION projection.%s TO %s', step.signature,
        CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END)
      FROM aclexplode(coalesce(rights, acldefault('f', own))) a
      UNION ALL
      SELECT format('ALTER FUNCTION projection.%s OWNER TO %I', step.signature, pg_get_userbyid(own))
    LOOP
      EXECUTE lock;
    END LOOP;
  END LOOP;

  SELECT coalesce(bool_or(c.paused), false) INTO is_paused FROM projection.checkpoint c WHERE c.name = swap.leader;
  DELETE FROM projection.checkpoint c WHERE c.name = swap.leader;
  INSERT INTO projection.checkpoint (name, lane, position, updated_at, unfinished_after, paused)
  SELECT l.leader, l.lane, l.position, clock_timestamp(), l.unfinished_after, is_paused FROM projection.version_lane l
  WHERE (l.schema_name, l.leader) = (beside, swap.leader);
  DELETE FROM projection.version_lane l WHERE (l.schema_name, l.leader) = (beside, swap.leader);
  DELETE FROM projection.holding h WHERE h.schema_name IN ('projection', beside) AND h.leader = swap.leader;
  DELETE FROM projection.version v WHERE (v.schema_name, v.leader) = ('projection', swap.leader);
  UPDATE projection.version v SET schema_name = 'projection' WHERE (v.schema_name, v.leader) = (beside, swap.leader);
  DELETE FROM projection.set_aside s WHERE (s.schema_name, s.leader) = ('projection', swap.leader);
  UPDATE projection.set_aside s SET schema_name = 'projection' WHERE (s.schema_name, s.leader) = (beside, swap.leader);
END $$;
