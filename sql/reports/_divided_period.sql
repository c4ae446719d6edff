-- The period of a report (reporting.period), divided into intervals of local time (reporting.intervals): of each, oldest first, where
-- what of it lies in the period begins and ends, and as its label where it begins itself. The arrays are null where the period is
-- empty.
CREATE OR REPLACE FUNCTION reporting.divided_period(
  "interval" text, "from" text, "to" text, tz text, as_of timestamptz, age interval DEFAULT NULL,
  OUT from_at timestamptz, OUT to_at timestamptz, OUT starts timestamptz[], OUT ends timestamptz[], OUT labels timestamptz[])
LANGUAGE plpgsql STABLE AS $$
BEGIN
  SELECT p.from_at, p.to_at INTO from_at, to_at FROM reporting.period("from", "to", tz, as_of, age) p;
  SELECT array_agg(i.begins ORDER BY i.begins), array_agg(i.ends ORDER BY i.begins), array_agg(i.interval_start ORDER BY i.begins)
  INTO starts, ends, labels
  FROM reporting.intervals("interval", from_at, to_at, tz) i;
END $$;
