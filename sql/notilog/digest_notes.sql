-- What was noted of an app on the days of a time zone in [first_day, end_day), oldest first: the newest twenty, as many as a chart
-- has room for.
CREATE OR REPLACE FUNCTION notilog.digest_notes(app text, first_day date, end_day date, tz text)
RETURNS TABLE (day date, label text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT (n.at AT TIME ZONE $4)::date, n.label
  FROM (
    SELECT n.* FROM notilog.app a
    CROSS JOIN LATERAL notilog.annotations(a.app_id, first_day::timestamp AT TIME ZONE $4, end_day::timestamp AT TIME ZONE $4) n
    WHERE a.name = $1
    ORDER BY n.at DESC, n.annotation_id DESC LIMIT 20
  ) n
  ORDER BY n.at, n.annotation_id
$$;
