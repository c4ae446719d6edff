-- When a day of a time zone is judged: so long after its end.
CREATE OR REPLACE FUNCTION notilog.alert_due(day date, tz text, wait interval) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT (day + 1)::timestamp AT TIME ZONE tz + wait
$$;
