-- The time that a report covers: [from_at, to_at), the last 30 days where nothing is said, and nothing after as_of; with an age
-- nothing that is younger.
--
-- An event at as_of itself is covered, so that to_at is a microsecond past it where `to` is not earlier. In the same way an event
-- of the age itself is.
CREATE OR REPLACE FUNCTION reporting.period(
  "from" text, "to" text, tz text, as_of timestamptz, age interval DEFAULT NULL, OUT from_at timestamptz, OUT to_at timestamptz)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  upper timestamptz;
  zone  text;
BEGIN
  IF as_of IS NULL OR NOT isfinite(as_of) THEN
    PERFORM reporting.invalid('as_of', 'as_of must be a time');
  END IF;
  zone := reporting.time_zone(tz);
  upper := reporting.instant('to', "to", tz);
  -- A day of an age has 24 hours, whatever the session's time zone is.
  to_at := least(upper, as_of + interval '1 microsecond' - coalesce(extract(epoch FROM age), 0) * interval '1 second');
  IF "from" ~ '^P[1-9][0-9]{0,3}D$' THEN
    -- So many days of tz, the last of them that of the last moment of the range.
    from_at := reporting.local_instant(
      (least(upper - interval '1 microsecond', as_of) AT TIME ZONE zone)::date - (substr("from", 2, length("from") - 2)::integer - 1)
        + time '00:00', zone);
  ELSE
    from_at := coalesce(reporting.instant('from', "from", tz), least(upper, as_of) - interval '720 hours');
  END IF;
  IF from_at >= upper THEN
    PERFORM reporting.invalid('from', 'from must be earlier than to');
  END IF;
  -- Only at the present: who asks for a report of an earlier as_of knows that it leaves out what came later.
  IF from_at > as_of AND as_of >= now() THEN
    PERFORM reporting.invalid('from', 'from lies in the future, where there are no events: give an earlier from');
  END IF;
END $$;
