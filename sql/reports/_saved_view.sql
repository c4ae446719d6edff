-- The answer to a saved view of an app: the rows of its report, each as an object, by the columns that the report has in SQL.
CREATE OR REPLACE FUNCTION reporting.saved_view(app text, view_name text, as_of timestamptz DEFAULT now()) RETURNS SETOF jsonb
LANGUAGE plpgsql STABLE AS $$
DECLARE
  view     record;
  called   text;
BEGIN
  SELECT v.report, v.parameters INTO view
  FROM readable.saved_view v
  WHERE v.app_id = reporting.app_id(app) AND v.name = view_name;
  IF NOT FOUND THEN
    PERFORM reporting.invalid('view_name', format('the app has no saved view "%s": see readable.saved_view', view_name));
  END IF;
  -- What is no parameter of the report is a filter, whose empty value stands for none.
  WITH parameter AS (
    SELECT n.name, n.type
    FROM pg_proc p, unnest(p.proargnames, p.proargtypes::oid[]) AS n (name, type)
    WHERE p.pronamespace = 'report'::regnamespace AND p.proname = view.report AND n.type IS NOT NULL
  ), given AS (
    SELECT key, value, value->>0 AS first, p.type
    FROM jsonb_each(view.parameters) LEFT JOIN parameter p ON p.name = key
  )
  SELECT concat_ws(', ', 'app => $1',
    string_agg(
      CASE type
        WHEN 'text[]'::regtype THEN format('%I => %L::text[]', key, string_to_array(first, ','))
        -- A day is 24 h there.
        WHEN 'interval'::regtype THEN format('%I => make_interval(secs => %s)', key, extract(epoch FROM first::interval))
        ELSE format('%I => %L', key, first)
      END, ', ') FILTER (WHERE type IS NOT NULL),
    'filters => ' || quote_literal(jsonb_object_agg(key, (
      SELECT jsonb_agg(nullif(v, '')) FROM jsonb_array_elements_text(value) AS v)) FILTER (WHERE type IS NULL)),
    'as_of => $2')
  INTO called
  FROM given;
  RETURN QUERY EXECUTE format('SELECT to_jsonb(r) FROM report.%I(%s) r', view.report, called) USING app, as_of;
END $$;
