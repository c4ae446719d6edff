-- Deletes a saved view of an app, with its digests; returns whether there is such a view.
CREATE OR REPLACE FUNCTION notilog.delete_view(app integer, view_name text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM notilog.saved_view v WHERE v.app_id = app AND v.name = view_name;
  RETURN FOUND;
END $$;
