-- Puts the events of bench.base that were received in one stretch of time into the log, :copies times, each time with
-- people of their own and 431 seconds later: so quarter hours fill up as they would with so many people.
--
-- Only what must differ does: the id, the device's last two digits, the token. Ids stay UUIDv7 where they were.
WITH copy AS MATERIALIZED (
  SELECT nextval('log.position') AS position, c.*
  FROM (
    SELECT b.*, n, n * interval '431 seconds' AS later, lpad(to_hex(n), 2, '0') AS mark
    FROM bench.base b, generate_series(0, :copies - 1) AS n
    WHERE b.received_at >= :'from' AND b.received_at < :'to'
    ORDER BY b.received_at + n * interval '431 seconds'
  ) c
), event AS MATERIALIZED (
  SELECT position, received_at + later AS received_at, occurred_at + later AS occurred_at,
    effective_at + later AS effective_at, occurrence + later AS occurrence,
    overlay(id::text PLACING mark FROM 35)::uuid AS id, app_id, utc_offset, schema_version, kind,
    CASE WHEN device_id = '' THEN '' ELSE overlay(device_id PLACING mark FROM length(device_id) - 1) END AS device_id,
    notification_id, CASE WHEN n = 0 THEN token ELSE sha256(token || int4send(n)) END AS token,
    CASE WHEN n = 0 THEN data ELSE data || jsonb_strip_nulls(jsonb_build_object(
      'delivered_at', to_char((data->>'delivered_at')::timestamptz + later, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      'timestamp', (data->>'timestamp')::bigint + n * 431000,
      'scheduled_for', to_char((data->>'scheduled_for')::timestamptz + later, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))) END AS data,
    CASE WHEN n = 0 THEN data_text ELSE regexp_replace(regexp_replace(data_text,
      '"delivered_at":"[^"]*"', format('"delivered_at":"%s"', to_char((substring(data_text, '"delivered_at":"([^"]*)"'))::timestamptz + later,
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))),
      '"scheduled_for":"[^"]*"', format('"scheduled_for":"%s"', to_char((substring(data_text, '"scheduled_for":"([^"]*)"'))::timestamptz + later,
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))) END AS data_text
  FROM copy
), known AS (
  INSERT INTO log.identity (id, digest, device_hash, position, app_id)
  SELECT id, md5(id::text)::uuid, hashtextextended(device_id, 0), position, app_id FROM event
)
INSERT INTO log.event (position, received_at, occurred_at, effective_at, occurrence, id, app_id, utc_offset, schema_version,
  time_clamped, kind, device_id, notification_id, token, data, data_text)
SELECT position, received_at, occurred_at, effective_at, occurrence, id, app_id, utc_offset, schema_version, false, kind,
  device_id, notification_id, token, data, data_text
FROM event;
