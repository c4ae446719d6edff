-- The log with `data` in the current version of each event's kind, as jsonb and as text, whichever is stored: for every reader of
-- either. What a statement does not read is not made.
CREATE OR REPLACE VIEW log.upcast_event AS
SELECT position, received_at, occurred_at, effective_at, sent_at, occurrence, id, app_id, utc_offset, schema_version,
  time_clamped, kind, device_id, notification_id, token,
  CASE WHEN schema_version >= log.schema_version(kind) THEN coalesce(data, data_text::jsonb)
    ELSE log.upcast(kind, schema_version, coalesce(data, data_text::jsonb)) END AS data,
  CASE WHEN schema_version >= log.schema_version(kind) THEN coalesce(data_text, data::text)
    ELSE log.upcast(kind, schema_version, coalesce(data, data_text::jsonb))::text END AS data_text
FROM log.event;
