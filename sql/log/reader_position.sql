-- The readers of the log and their positions: events that all of them have passed may be dropped. A feature that reads the
-- log adds its rows here.
CREATE OR REPLACE VIEW log.reader_position AS
SELECT 'projection' AS kind, name, min(position) AS position FROM projection.checkpoint GROUP BY name
UNION ALL
SELECT 'version', schema_name || '.' || leader, min(position) FROM projection.version_lane GROUP BY schema_name, leader
UNION ALL
SELECT 'export', name, done FROM export.cursor WHERE dataset = 'events'
UNION ALL
SELECT 'copy', 'to cell ' || cell, position FROM log.copied;
