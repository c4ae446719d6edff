-- Stores an annotation of an app. The same label at the same time is the same annotation, so that a deploy hook may repeat its
-- request; without a time it is now. Returns no row at the limit of an app's annotations.
CREATE OR REPLACE FUNCTION notilog.annotate(app integer, noted_at timestamptz, noted text)
RETURNS TABLE (annotation_id bigint, at timestamptz, label text, is_new boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  most constant integer := 10000;
  moment constant timestamptz := coalesce(noted_at, now());
  added  bigint;
BEGIN
  PERFORM FROM notilog.app a WHERE a.app_id = app FOR NO KEY UPDATE;   -- one at a time, so that the count holds
  INSERT INTO notilog.annotation (app_id, at, label)
  SELECT app, moment, noted
  WHERE (SELECT count(*) FROM notilog.annotation n WHERE n.app_id = app) < most
  ON CONFLICT DO NOTHING
  RETURNING notilog.annotation.annotation_id INTO added;
  RETURN QUERY
  SELECT n.annotation_id, n.at, n.label, added IS NOT NULL
  FROM notilog.annotation n
  WHERE n.app_id = app AND n.at = moment AND n.label = noted;
END $$;
