-- When a digest is due next after a moment: at its time of day in a time zone, each day or on its weekday (1 Monday to 7 Sunday).
-- A time of day that clocks skip is as long after midnight; one that they repeat is the later of both.
CREATE OR REPLACE FUNCTION notilog.digest_due(after timestamptz, weekday smallint, at time, tz text) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT min(due)
  FROM (
    SELECT day, (day + at) AT TIME ZONE tz AS due
    FROM (SELECT (after AT TIME ZONE tz)::date + n AS day FROM generate_series(0, 9) n) days
  ) candidate
  WHERE due > after AND (weekday IS NULL OR extract(isodow FROM day) = weekday)
$$;
