-- The readers of the log and their positions: events that all of them have passed may be dropped. A feature that reads the
-- log adds its rows here.
CREATE OR REPLACE VIEW log.reader_position AS
SELECT 'projection' AS kind, name, position FROM projection.checkpoint
UNION ALL
SELECT 'version', schema_name || '.' || leader, position FROM projection.version
WHERE schema_name NOT IN ('projection', 'baseline')
UNION ALL
SELECT 'export', name, done FROM export.cursor WHERE dataset = 'events';
