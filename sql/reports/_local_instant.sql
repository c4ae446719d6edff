-- The first instant at which clocks of a zone read at least the given date and time: the earlier one where they read it
-- twice, the end of the gap where they never do.
CREATE OR REPLACE FUNCTION reporting.local_instant(reading timestamp, tz text) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
  -- AT TIME ZONE takes the later of two, and in a gap the offset before it: clocks leapt at that instant, or earlier by less than the
  -- length of the gap. They do at whole minutes.
  SELECT coalesce(
    (
      SELECT min(later - shift)
      FROM unnest('{30 minutes,1 hour,2 hours}'::interval[]) AS shift
      WHERE (later - shift) AT TIME ZONE tz = reading
    ),
    CASE WHEN shown > reading THEN (
      SELECT min(step)
      FROM generate_series(
        date_bin('1 minute', later - extract(epoch FROM shown - reading) * interval '1 second', 'epoch'), later, interval '1 minute') AS step
      WHERE step AT TIME ZONE tz >= reading
    ) END,
    later)
  FROM (SELECT later, later AT TIME ZONE tz AS shown FROM (SELECT reading AT TIME ZONE tz AS later) taken) told
$$;
