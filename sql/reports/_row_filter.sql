-- The SQL condition that filters make on rows `n` of notification, by the dimensions that are accepted. It is text, as
-- an app's own dimensions and the settings in force are no columns. The values stay in the query's parameter that has
-- the filters, `placeholder`.
CREATE OR REPLACE FUNCTION reporting.row_filter(filters jsonb, accepted text[], placeholder text) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT coalesce(string_agg(format('reporting.matches(%s, %s, %L)', reporting.dimension(name), placeholder, name),
    ' AND ' ORDER BY name), 'true')
  FROM jsonb_object_keys(reporting.filters(filters, accepted)) AS name
$$;
