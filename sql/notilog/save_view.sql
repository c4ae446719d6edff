-- Saves a view of an app, replacing one with the same name. The same definition again keeps its position. Returns no row at the
-- limit of an app's views.
CREATE OR REPLACE FUNCTION notilog.save_view(app integer, view_name text, view_report text, view_parameters jsonb)
RETURNS TABLE (name text, report text, parameters jsonb, "position" bigint, saved_at timestamptz, is_new boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  most constant integer := 1000;
  found_before boolean;
BEGIN
  PERFORM FROM notilog.app a WHERE a.app_id = app FOR NO KEY UPDATE;   -- one at a time, so that the count holds
  found_before := EXISTS (SELECT FROM notilog.saved_view v WHERE v.app_id = app AND v.name = view_name);
  IF NOT found_before AND (SELECT count(*) FROM notilog.saved_view v WHERE v.app_id = app) >= most THEN
    RETURN;
  END IF;
  INSERT INTO notilog.saved_view AS v (app_id, name, report, parameters, position)
  SELECT app, view_name, view_report, view_parameters, s.settled_position FROM log.state s
  ON CONFLICT ON CONSTRAINT saved_view_pkey DO UPDATE
  SET report = excluded.report, parameters = excluded.parameters, position = excluded.position, saved_at = now()
  WHERE (v.report, v.parameters) IS DISTINCT FROM (excluded.report, excluded.parameters);
  RETURN QUERY
  SELECT v.name, v.report, v.parameters, v.position, v.saved_at, NOT found_before
  FROM notilog.saved_view v
  WHERE v.app_id = app AND v.name = view_name;
END $$;
