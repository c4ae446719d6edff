-- Whether a function is one of those that notilog.gather_counts makes.
CREATE OR REPLACE FUNCTION notilog.asks_cells(routine oid) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM pg_proc p
    WHERE p.oid = routine AND p.pronamespace = 'reporting'::regnamespace AND p.proname LIKE '%\_counts' AND p.prosecdef)
$$;

-- In a coordinator: makes each function that counts, reporting.…_counts, ask the other cells at the same time, and return the rows of
-- all. What it does here alone is in the schema `cell`, under the same name. Called whenever the functions were made anew; those that ask
-- already stay.
--
-- They run as the owner, as nobody else may ask cells, and return nothing to who may not read the app. The setting notilog.here is on
-- while this cell counts: a function that counts may call another.
CREATE OR REPLACE FUNCTION notilog.gather_counts() RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  f     record;
  stale regprocedure;
BEGIN
  IF NOT EXISTS (SELECT FROM notilog.cell WHERE cell > 0) THEN
    RETURN;
  END IF;
  FOR f IN
    SELECT p.proname, pg_get_function_identity_arguments(p.oid) AS identity, pg_get_function_arguments(p.oid) AS arguments,
      pg_get_function_result(p.oid) AS result, substring(pg_get_function_result(p.oid) FROM '^TABLE\((.*)\)$') AS columns,
      (SELECT string_agg('$' || n, ', ' ORDER BY n) FROM generate_series(1, p.pronargs) AS n) AS given,
      (SELECT string_agg(format($g$quote_nullable($%s) || '::%s'$g$, n, format_type(t, NULL)), $s$ || ', ' || $s$ ORDER BY n)
        FROM unnest(p.proargtypes) WITH ORDINALITY AS a (t, n)) AS quoted
    FROM pg_proc p
    WHERE p.pronamespace = 'reporting'::regnamespace AND p.proname LIKE '%\_counts' AND NOT p.prosecdef
  LOOP
    FOR stale IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = 'cell'::regnamespace AND p.proname = f.proname LOOP
      EXECUTE format('DROP FUNCTION %s', stale);
    END LOOP;
    EXECUTE format('ALTER FUNCTION reporting.%I(%s) SET SCHEMA cell', f.proname, f.identity);
    EXECUTE format($f$
      CREATE FUNCTION reporting.%1$I(%2$s) RETURNS %3$s
      LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO, MDY'
      SET intervalstyle = postgres SET extra_float_digits = 1 AS $w$
      #variable_conflict use_column
      DECLARE
        names text[];
      BEGIN
        IF current_setting('notilog.here', true) = 'on' THEN
          IF cell.may_read($1) THEN
            RETURN QUERY SELECT * FROM cell.%1$I(%4$s);
          END IF;
          RETURN;
        END IF;
        names := cell.ask($1, 'SELECT * FROM reporting.%1$I(' || %5$s || ')');
        IF names IS NULL THEN
          RETURN;
        END IF;
        PERFORM set_config('notilog.here', 'on', true);
        RETURN QUERY SELECT * FROM cell.%1$I(%4$s);
        PERFORM set_config('notilog.here', 'off', true);
        FOR n IN 1 .. cardinality(names) LOOP
          PERFORM cell.await(names[n]);
          RETURN QUERY SELECT * FROM dblink.dblink_get_result(names[n]) AS r (%6$s);
          PERFORM FROM dblink.dblink_get_result(names[n]) AS r (nothing text);   -- ends the query
        END LOOP;
      EXCEPTION
        WHEN connection_exception OR admin_shutdown OR crash_shutdown OR cannot_connect_now OR idle_in_transaction_session_timeout THEN
          PERFORM cell.leave(name) FROM unnest(names) AS n (name);
          RAISE EXCEPTION 'a cell does not answer any more' USING ERRCODE = 'NL503',
            DETAIL = CASE WHEN cell.is_service() THEN SQLERRM ELSE '' END;
        WHEN OTHERS OR query_canceled THEN
          PERFORM cell.leave(name) FROM unnest(names) AS n (name);
          RAISE;
      END $w$ $f$, f.proname, f.arguments, f.result, f.given, f.quoted, f.columns);
  END LOOP;
END $$;
