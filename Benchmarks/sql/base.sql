-- Takes the events that the simulator sent into bench.base, and empties the log again.
--
-- They were received as they were sent, within seconds; as though sent when they happened they were received a second
-- later.
CREATE SCHEMA bench;
CREATE TABLE bench.base AS
SELECT app_id, id, kind, device_id, notification_id, occurrence, occurred_at, effective_at,
  effective_at + interval '1 second' AS received_at, utc_offset, schema_version, token, data, data_text
FROM log.event;
CREATE INDEX ON bench.base (received_at);
TRUNCATE log.event, log.identity;
VACUUM ANALYZE bench.base;
