-- The SQL condition that filters make on rows `n` of notification, by the dimensions that are accepted: see reporting.filter.
CREATE OR REPLACE FUNCTION reporting.row_filter(filters jsonb, accepted text[]) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT reporting.filter(filters, (SELECT jsonb_object_agg(name, reporting.dimension(name)) FROM unnest(accepted) AS name))
$$;
