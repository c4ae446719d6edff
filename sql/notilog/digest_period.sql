-- What a digest covers at a moment: the last full day of a time zone, or its last full week from Monday; and the one before it.
--
-- Figures of responses are compared at equal age. mature_to and mature_before_to are where the parts of both periods end whose time
-- to respond is over, the same local time in both; null where that is no part. age_seconds is how old the youngest of the period is.
CREATE OR REPLACE FUNCTION notilog.digest_period(is_weekly boolean, tz text, window_seconds bigint, as_of timestamptz)
RETURNS TABLE (first_day date, end_day date, before_day date, mature_to timestamptz, mature_before_to timestamptz, age_seconds bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT first, first + days, first - days,
    CASE WHEN cut > starts THEN least(cut, ends) END,
    CASE WHEN cut >= ends THEN starts WHEN cut > starts THEN (cut AT TIME ZONE tz - make_interval(days => days)) AT TIME ZONE tz END,
    floor(extract(epoch FROM as_of - ends))::bigint
  FROM (
    SELECT *, first::timestamp AT TIME ZONE tz AS starts, (first + days)::timestamp AT TIME ZONE tz AS ends,
      as_of - make_interval(secs => window_seconds) AS cut
    FROM (
      SELECT CASE WHEN is_weekly THEN 7 ELSE 1 END AS days,
        CASE WHEN is_weekly THEN date_trunc('week', as_of AT TIME ZONE tz)::date - 7 ELSE (as_of AT TIME ZONE tz)::date - 1 END AS first
    ) day
  ) period
$$;
