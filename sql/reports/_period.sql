-- The time that a report covers: [from_at, to_at), the last 30 days where nothing is said, and nothing after as_of.
--
-- An event at as_of itself is covered, so that to_at is a microsecond past it where `to` is not earlier.
CREATE OR REPLACE FUNCTION report.period(
  "from" timestamptz, "to" timestamptz, as_of timestamptz, OUT from_at timestamptz, OUT to_at timestamptz)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF as_of IS NULL OR NOT isfinite(as_of) THEN
    PERFORM report.invalid('as_of', 'as_of must be a time');
  END IF;
  to_at := least("to", as_of + interval '1 microsecond');
  from_at := coalesce("from", coalesce("to", as_of) - interval '720 hours');
  IF NOT isfinite(from_at) OR NOT isfinite(to_at) THEN
    PERFORM report.invalid('from', 'from and to must be finite times');
  END IF;
  IF from_at >= "to" THEN
    PERFORM report.invalid('from', 'from must be earlier than to');
  END IF;
END $$;
