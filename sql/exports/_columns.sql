-- The columns of a dataset, in order.
CREATE OR REPLACE FUNCTION export.columns(dataset text) RETURNS TABLE (name text, type text)
LANGUAGE sql STABLE AS $$
  SELECT c.name, c.type
  FROM (
    SELECT f.name, f.type, f.ordinal
    FROM export.dataset d, (VALUES ('change', 'bigint', -3), ('row_id', 'uuid', -2)) AS f (name, type, ordinal)
    WHERE d.name = dataset AND d.keys <> '{}'
    UNION ALL
    SELECT 'tombstone', 'boolean', CASE d.keys WHEN '{}' THEN 3 ELSE -1 END
    FROM export.dataset d WHERE d.name = dataset
    UNION ALL
    -- The app is the first argument, and app_id the first of the columns.
    SELECT r.name, CASE r.type WHEN 'export.sent_jsonb' THEN 'jsonb' ELSE r.type END, CASE r.name WHEN 'position' THEN 0 ELSE r.ordinal + 3 END FROM export.row_columns(dataset) r
  ) c
  ORDER BY c.ordinal
$$;
