-- The intervals of local time that [from_at, to_at) reaches into, oldest first. `interval_start` is where the interval
-- begins, `begins` and `ends` what of it lies in the range. With `none` there is one, without interval_start.
--
-- Hours, days, weeks (from Monday) and months are those of clocks in tz: a day may have 23 or 25 hours, and an hour
-- begins at :00 whatever the zone's offset, or where clocks are moved into it: moved by half an hour (Lord Howe) it may last 30 or 90
-- minutes, moved at a quarter to (Chatham) 15 or 45.
CREATE OR REPLACE FUNCTION reporting.intervals("interval" text, from_at timestamptz, to_at timestamptz, tz text)
RETURNS TABLE (interval_start timestamptz, begins timestamptz, ends timestamptz)
LANGUAGE plpgsql STABLE ROWS 100 AS $$
DECLARE
  starts timestamptz[];
BEGIN
  PERFORM reporting.choice('interval', "interval", '{none,hour,day,week,month}');
  PERFORM reporting.time_zone(tz);
  IF from_at >= to_at THEN
    RETURN;
  END IF;
  IF "interval" = 'none' THEN
    RETURN QUERY SELECT NULL::timestamptz, from_at, to_at;
    RETURN;
  END IF;
  IF extract(epoch FROM to_at - from_at)
    > 10000::bigint * (CASE "interval" WHEN 'hour' THEN 3600 WHEN 'day' THEN 86400 WHEN 'week' THEN 604800 ELSE 2592000 END) THEN
    PERFORM reporting.invalid('interval', format('the range is longer than 10000 intervals of one %s: choose a shorter range', "interval"));
  END IF;
  IF "interval" = 'hour' THEN
    -- In steps of a quarter of an hour, as Chatham's clocks are moved at a quarter to. Others are moved by half an hour: so an hour may
    -- have begun an hour and a half before.
    SELECT array_agg(step ORDER BY step) INTO starts
    FROM (
      SELECT step, lead(step) OVER (ORDER BY step) AS next_step
      FROM generate_series(date_trunc('hour', from_at, tz) - interval '1 hour', to_at, interval '15 minutes') AS step
      WHERE step < to_at AND (date_trunc('hour', step, tz) = step
        OR date_trunc('hour', step AT TIME ZONE tz) <> date_trunc('hour', (step - interval '15 minutes') AT TIME ZONE tz))
    ) s
    WHERE (next_step > from_at) IS NOT FALSE;
  ELSE
    SELECT array_agg(reporting.local_instant(reading, tz) ORDER BY reading) INTO starts
    FROM generate_series(date_trunc("interval", from_at AT TIME ZONE tz), to_at AT TIME ZONE tz,
      ('1 ' || "interval")::interval) AS reading
    WHERE reporting.local_instant(reading, tz) < to_at;
  END IF;
  RETURN QUERY
  SELECT s.start, greatest(s.start, from_at), coalesce(lead(s.start) OVER (ORDER BY s.start), to_at)
  FROM unnest(starts) AS s (start)
  ORDER BY 1;
END $$;
