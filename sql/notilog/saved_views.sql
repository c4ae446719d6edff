-- The saved views of an app by name; only that one where a name is given.
CREATE OR REPLACE FUNCTION notilog.saved_views(app integer, view_name text)
RETURNS TABLE (name text, report text, parameters jsonb, "position" bigint, saved_at timestamptz)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT v.name, v.report, v.parameters, v.position, v.saved_at
  FROM notilog.saved_view v
  WHERE v.app_id = app AND (view_name IS NULL OR v.name = view_name)
  ORDER BY v.name
$$;
