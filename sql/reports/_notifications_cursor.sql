-- The position of a notification in a list, as opaque text: its time, occurrence and ids, in the alphabet of RFC 4648, section
-- 5, so that a URL needs no escapes.
CREATE OR REPLACE FUNCTION reporting.notifications_cursor(
  cohort_at timestamptz, device_id text, notification_id text, occurrence timestamptz) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT translate(encode(convert_to(concat_ws(' ',
    (extract(epoch FROM cohort_at) * 1000000)::bigint,
    CASE WHEN isfinite(occurrence) THEN (extract(epoch FROM occurrence) * 1000000)::bigint::text ELSE 'none' END,
    length(device_id), device_id || notification_id), 'UTF8'), 'base64'), E'+/=\n', '-_')
$$;
