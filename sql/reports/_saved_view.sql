-- The answer to a saved view of an app: the rows of its report, each as an object, by the columns that the report has in SQL.
CREATE OR REPLACE FUNCTION reporting.saved_view(app text, view_name text, as_of timestamptz DEFAULT now()) RETURNS SETOF jsonb
LANGUAGE plpgsql STABLE AS $$
DECLARE
  view     record;
  called   text;   -- the report's parameters, each with its expression of those of the view, $3
  wanted   jsonb;  -- the filters
BEGIN
  SELECT v.report, v.parameters INTO view
  FROM readable.saved_view v
  WHERE v.app_id = reporting.app_id(app) AND v.name = view_name;
  IF NOT FOUND THEN
    PERFORM reporting.invalid('view_name', format('the app has no saved view "%s": see readable.saved_view', view_name));
  END IF;
  -- What is no parameter of the report is a filter, whose empty value stands for none; but for those that every report takes, and which
  -- change nothing in one without them.
  WITH parameter AS (
    SELECT n.name, n.type
    FROM pg_proc p, unnest(p.proargnames, p.proargtypes::oid[]) AS n (name, type)
    WHERE p.pronamespace = 'report'::regnamespace AND p.proname = view.report AND n.type IS NOT NULL
  ), given AS (
    SELECT key, value, p.type
    FROM jsonb_each(view.parameters) LEFT JOIN parameter p ON p.name = key
    WHERE p.name IS NOT NULL OR key NOT IN ('window', 'mature')
  )
  SELECT concat_ws(', ', 'app => $1',
    string_agg(
      CASE type
        -- Names joined by commas, in any number of values, with blanks around them.
        WHEN 'text[]'::regtype THEN format($list$%I => ARRAY(
            SELECT btrim(n.name, E' \r')
            FROM jsonb_array_elements_text($3->%L) WITH ORDINALITY AS v (list, place)
            CROSS JOIN LATERAL unnest(string_to_array(v.list, ',')) WITH ORDINALITY AS n (name, place)
            WHERE btrim(n.name, E' \r') <> ''
            ORDER BY v.place, n.place)$list$, key, key)
        -- A day is 24 h there.
        WHEN 'interval'::regtype THEN
          format('%I => make_interval(secs => extract(epoch FROM ($3->%L->>0)::interval))', key, key)
        ELSE format('%I => ($3->%L->>0)::%s', key, key, type::regtype)
      END, ', ') FILTER (WHERE type IS NOT NULL),
    CASE WHEN bool_or(type IS NULL) THEN 'filters => $4' END, 'as_of => $2'),
    coalesce(jsonb_object_agg(key, (
      SELECT jsonb_agg(nullif(v, '')) FROM jsonb_array_elements_text(value) AS v)) FILTER (WHERE type IS NULL), '{}')
  INTO called, wanted
  FROM given;
  RETURN QUERY EXECUTE format('SELECT to_jsonb(r) FROM report.%I(%s) r', view.report, called)
  USING app, as_of, view.parameters, wanted;
END $$;
