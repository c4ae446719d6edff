-- The time zone that a device named, or null where reporting.time_zone takes none of that name: reports go on without it.
CREATE OR REPLACE FUNCTION reporting.known_time_zone(tz text) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN reporting.time_zone(tz);
EXCEPTION WHEN SQLSTATE 'RP400' THEN
  RETURN NULL;
END $$;
