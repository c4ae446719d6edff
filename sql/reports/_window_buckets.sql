-- The time to respond, checked, in microseconds and as an interval of that length, and what the latency buckets make of it: the
-- number of buckets that lie within, and whether that is exactly the window. Else the nearest bound is taken, which is within 5 %.
CREATE OR REPLACE FUNCTION reporting.window_buckets(
  "window" interval, OUT microseconds bigint, OUT buckets integer, OUT approximate boolean, OUT bounds bigint[], OUT length interval)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  bounds := projection.latency_bounds();
  microseconds := (extract(epoch FROM "window") * 1000000)::bigint;
  IF microseconds IS NULL OR microseconds < 1000000 OR microseconds > 34560000000000 THEN
    PERFORM reporting.invalid('window', 'window must be a duration from PT1S to P400D; exact: PT1H, PT6H, P1D, P3D, P7D, P30D');
  END IF;
  length := microseconds * interval '1 microsecond';   -- a day has 24 hours, whatever the session's zone
  buckets := width_bucket(microseconds, bounds);
  approximate := bounds[buckets] <> microseconds;
  IF approximate AND microseconds::numeric * microseconds > bounds[buckets]::numeric * bounds[buckets + 1] THEN
    buckets := buckets + 1;
  END IF;
END $$;
