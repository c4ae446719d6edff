-- The number of a time to respond among the windows that rollups answer exactly (`within` of their rows), from 1; null
-- for any other.
CREATE OR REPLACE FUNCTION reporting.window_slot("window" interval) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$
  SELECT array_position('{1 hour,6 hours,1 day,3 days,7 days,30 days}'::interval[], "window")
$$;
