-- Creates the view of a table or view in the schema readable, in types for analysts' tools: null instead of ±infinity, hex
-- instead of bytea, the text of a claim instead of its bytes, no packed facts, no second form of `data`, and no schedules among notifications. It reads with its
-- caller's privileges, so that row security applies. If the view is unchanged, it does nothing and takes no lock.
CREATE OR REPLACE FUNCTION notilog.make_readable(source regclass, view_name name) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET client_min_messages = warning AS $$
DECLARE
  target    regclass := to_regclass(format('readable.%I', view_name));
  selected  text;
  condition text := '';
  statement text;
BEGIN
  -- The columns of a view keep their order; others come after them.
  SELECT string_agg(CASE
      WHEN a.atttypid = 'bytea'::regtype AND a.attname ~ '^(first|last)_' THEN format('convert_from(substr(%1$I, 26), ''UTF8'') AS %1$I', a.attname)
      WHEN a.atttypid = 'bytea'::regtype THEN format('encode(%1$I, ''hex'') AS %1$I', a.attname)
      WHEN a.attname IN ('occurrence', 'previous_day', 'other_day') THEN format('CASE WHEN isfinite(%1$I) THEN %1$I END AS %1$I', a.attname)
      ELSE quote_ident(a.attname) END, ', ' ORDER BY v.attnum, a.attnum),
    CASE WHEN bool_or(a.attname = 'occurrence') THEN ' WHERE occurrence IS DISTINCT FROM ''infinity''' ELSE '' END
  INTO selected, condition
  FROM pg_attribute a
  LEFT JOIN pg_attribute v ON v.attrelid = target AND v.attname = a.attname AND v.attnum > 0
  WHERE a.attrelid = source AND a.attnum > 0 AND NOT a.attisdropped AND a.attname NOT IN ('facts', 'data_text');

  IF target IS NULL OR NOT EXISTS (
      SELECT FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
      WHERE d.classid = 'pg_rewrite'::regclass AND r.ev_class = target AND d.refclassid = 'pg_class'::regclass AND d.refobjid = source)
    OR EXISTS (
      SELECT FROM pg_attribute a
      FULL JOIN (SELECT * FROM pg_attribute WHERE attrelid = target AND attnum > 0 AND NOT attisdropped) v USING (attname)
      WHERE (a.attrelid = source OR a.attrelid IS NULL) AND (a.attnum > 0 OR a.attnum IS NULL) AND a.attisdropped IS NOT TRUE AND attname NOT IN ('facts', 'data_text')
        AND (a.attrelid IS NULL OR v.attrelid IS NULL
          OR CASE a.atttypid WHEN 'bytea'::regtype THEN 'text'::regtype::oid ELSE a.atttypid END <> v.atttypid)) THEN
    BEGIN
      EXECUTE format('CREATE OR REPLACE VIEW readable.%I WITH (security_invoker = true) AS SELECT %s FROM %s%s',
        view_name, selected, source, condition);
    EXCEPTION WHEN invalid_table_definition THEN   -- a column is gone, or is of another type
      EXECUTE format('DROP VIEW readable.%I', view_name);
      EXECUTE format('CREATE VIEW readable.%I WITH (security_invoker = true) AS SELECT %s FROM %s%s',
        view_name, selected, source, condition);
    END;
    target := format('readable.%I', view_name)::regclass;
    IF to_regrole('notilog_reader') IS NOT NULL THEN
      EXECUTE format('GRANT SELECT ON %s TO notilog_writer, notilog_projector, notilog_reader', target);
    END IF;
  END IF;

  FOR statement IN
    SELECT format('COMMENT ON VIEW %s IS %L', target, obj_description(source, 'pg_class'))
    WHERE obj_description(source, 'pg_class') IS DISTINCT FROM obj_description(target, 'pg_class')
    UNION ALL
    SELECT format('COMMENT ON COLUMN %s.%I IS %L', target, v.attname, col_description(source, a.attnum))
    FROM pg_attribute a
    JOIN pg_attribute v ON v.attrelid = target AND v.attname = a.attname
    WHERE a.attrelid = source AND a.attnum > 0 AND NOT a.attisdropped
      AND col_description(source, a.attnum) IS DISTINCT FROM col_description(target, v.attnum)
  LOOP
    EXECUTE statement;
  END LOOP;
END $$;
