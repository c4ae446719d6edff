-- The snapshots of devices in the log's events: of their context and of their settings. Snapshots of one series follow each
-- other in the tie order (at, id).
CREATE OR REPLACE VIEW log.upcast_snapshot AS
SELECT e.position, e.received_at, e.app_id, e.device_id, s.series COLLATE "C" AS series, e.effective_at AS at, e.id, s.value
FROM log.upcast_event e
CROSS JOIN LATERAL (
  VALUES ('context', (e.data->'context') - '{device_model,sdk_version}'::text[]),
    ('settings', CASE e.kind WHEN 'settings' THEN e.data - '{context,attributes}'::text[] END)
) AS s (series, value)
WHERE e.device_id <> '' AND s.value IS NOT NULL;
