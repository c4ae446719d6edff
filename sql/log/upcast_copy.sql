-- The copies of events of other cells (log.copy) as log.upcast_event has those of this one.
CREATE OR REPLACE VIEW log.upcast_copy AS
SELECT position, received_at, occurred_at, effective_at, sent_at, occurrence, id, app_id, utc_offset, schema_version,
  time_clamped, kind, device_id, notification_id, token,
  CASE WHEN schema_version >= log.schema_version(kind) THEN data ELSE log.upcast(kind, schema_version, data) END AS data,
  (CASE WHEN schema_version >= log.schema_version(kind) THEN data ELSE log.upcast(kind, schema_version, data) END)::text AS data_text
FROM log.copy;
