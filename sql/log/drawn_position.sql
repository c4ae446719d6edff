-- The highest position drawn, which no position in the log is beyond; 0 before the first one. A sequence is in no snapshot: it is
-- what it is at the call, however old the caller's snapshot.
CREATE OR REPLACE FUNCTION log.drawn_position() RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM log.position
$$;
