-- The parts of a `reporting.notifications_cursor`; nulls without a cursor.
CREATE OR REPLACE FUNCTION reporting.notifications_after(
  cursor text, OUT cohort_at timestamptz, OUT device_id text, OUT notification_id text, OUT occurrence timestamptz)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  parts text[];
BEGIN
  IF cursor IS NULL THEN
    RETURN;
  END IF;
  BEGIN
    parts := regexp_match(
      convert_from(decode(rpad(translate(cursor, '-_', '+/'), (length(cursor) + 3) / 4 * 4, '='), 'base64'), 'UTF8'),
      '^(-?[0-9]{1,18}) (none|-?[0-9]{1,18}) ([0-9]{1,3}) (.+)$');
    cohort_at := 'epoch'::timestamptz + parts[1]::bigint * interval '1 microsecond';
    occurrence := CASE parts[2] WHEN 'none' THEN '-infinity' ELSE 'epoch'::timestamptz + parts[2]::bigint * interval '1 microsecond' END;
  EXCEPTION WHEN data_exception THEN   -- no base64, no UTF-8, or no time that PostgreSQL has
    parts := NULL;
  END;
  IF parts IS NULL THEN
    PERFORM reporting.invalid('cursor', 'the cursor is not one of this service: take next_cursor of the page before, or leave it out');
  END IF;
  device_id := left(parts[4], parts[3]::integer);
  notification_id := substr(parts[4], parts[3]::integer + 1);
END $$;
