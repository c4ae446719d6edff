-- The first instant at which clocks of a zone read at least the given date and time: the earlier one where they read it
-- twice, the end of the gap where they never do.
CREATE OR REPLACE FUNCTION reporting.local_instant(reading timestamp, tz text) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
  -- AT TIME ZONE takes the later of two.
  SELECT coalesce(min(earlier) FILTER (WHERE earlier AT TIME ZONE tz = reading), reading AT TIME ZONE tz)
  FROM (
    SELECT (reading AT TIME ZONE tz) - shift AS earlier
    FROM unnest('{30 minutes,1 hour,2 hours}'::interval[]) AS shift
  ) candidate
$$;
