-- The annotations of an app in [from_at, to_at), oldest first; null for no bound.
CREATE OR REPLACE FUNCTION notilog.annotations(app integer, from_at timestamptz, to_at timestamptz)
RETURNS TABLE (annotation_id bigint, at timestamptz, label text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT n.annotation_id, n.at, n.label
  FROM notilog.annotation n
  WHERE n.app_id = $1 AND n.at >= coalesce(from_at, '-infinity') AND n.at < coalesce(to_at, 'infinity')
  ORDER BY n.at, n.annotation_id
$$;
