-- A time as a caller gives it: an RFC 3339 time, or the first instant of a date in tz. Never what the session's own time
-- zone would make of it. PostgreSQL's own text of a timestamptz, which says its offset, is taken as well.
CREATE OR REPLACE FUNCTION reporting.instant(parameter text, value text, tz text) RETURNS timestamptz
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF value IS NULL THEN
    RETURN NULL;
  END IF;
  BEGIN
    IF value ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' THEN
      RETURN reporting.local_instant(value::date::timestamp, reporting.time_zone(tz));
    ELSIF value ~* '^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}(:?[0-9]{2}){0,2})$' THEN
      RETURN value::timestamptz;
    END IF;
  EXCEPTION WHEN datetime_field_overflow OR invalid_datetime_format OR invalid_time_zone_displacement_value THEN
    NULL;
  END;
  PERFORM reporting.invalid(parameter, format('%s is "%s"; accepted: an RFC 3339 time such as 2026-11-01T00:00:00+01:00, or a date such as 2026-11-01, in tz',
    parameter, value));
END $$;
