-- Deletes an annotation of an app; returns whether there is such an annotation.
CREATE OR REPLACE FUNCTION notilog.delete_annotation(app integer, annotation bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM notilog.annotation n WHERE n.app_id = app AND n.annotation_id = annotation;
  RETURN FOUND;
END $$;
