-- Makes, for each report that can be asked for by a dimension and each dimension that its header accepts, but for an app's own, a function of
-- the name <report>_by_<dimension>, whose column is named for the dimension where the report's own has by_1. Their
-- parameters are the report's, but for "by". A part of applying the files: it goes by the reports made in this transaction.
CREATE OR REPLACE FUNCTION reporting.name_dimensions() RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  made record;
BEGIN
  FOR made IN
    SELECT p.proname AS report, trim(d.name) AS dimension, obj_description(p.oid, 'pg_proc') AS says,
      regexp_replace(pg_get_function_arguments(p.oid), '"?by"? text\[\] DEFAULT ''[^'']*''::text\[\], ', '') AS parameters,
      regexp_replace(pg_get_function_identity_arguments(p.oid), '"?by"? text\[\], ', '') AS types,
      replace(replace(pg_get_function_result(p.oid), ', by_2 text', ''), 'by_1 text', format('%I text', trim(d.name))) AS result,
      (SELECT string_agg(format('r.%I', a.name), ', ' ORDER BY a.ordinal) FILTER (WHERE a.mode = 't' AND a.name <> 'by_2')
        FROM unnest(p.proargnames, p.proargmodes) WITH ORDINALITY AS a (name, mode, ordinal)) AS columns,
      -- $1 is app; parameters after "by" have an ordinal lower by one than in the report itself.
      (SELECT string_agg(format('%I => $%s', a.name, a.ordinal - CASE WHEN a.ordinal > b.ordinal THEN 1 ELSE 0 END), ', ' ORDER BY a.ordinal)
        FROM unnest(p.proargnames, p.proargmodes) WITH ORDINALITY AS a (name, mode, ordinal)
        WHERE a.mode = 'i' AND a.name <> 'by') AS arguments
    FROM pg_proc p
    CROSS JOIN LATERAL (SELECT array_position(p.proargnames, 'by') AS ordinal) b
    CROSS JOIN LATERAL regexp_split_to_table(
      substring(obj_description(p.oid, 'pg_proc') FROM '\n  by \([^\n]*one or two of ([a-zA-Z_., ]+)'), ',') AS d (name)
    WHERE p.pronamespace = 'report'::regnamespace AND d.name NOT LIKE '%.%' AND b.ordinal IS NOT NULL AND p.xmin = pg_current_xact_id()::xid
  LOOP
    EXECUTE format('CREATE OR REPLACE FUNCTION report.%I(%s) RETURNS %s LANGUAGE sql STABLE AS %L',
      made.report || '_by_' || made.dimension, made.parameters, made.result,
      format('SELECT %s FROM report.%I("by" => %L, %s) AS r', made.columns, made.report, '{' || made.dimension || '}', made.arguments));
    EXECUTE format('COMMENT ON FUNCTION report.%I(%s) IS %L', made.report || '_by_' || made.dimension, made.types,
      format(E'The report %1$s by %2$s alone, with a column %2$s instead of by_1 and by_2, and without the parameter by.\n\n%3$s',
        made.report, made.dimension, made.says));
  END LOOP;
END $$;
