-- The query for the next 8192 rows that precede the events of a range of the log, by position, because an erasure in that
-- range changed rows exported at or before `after`. These are a tombstone for each event of the erased device, including
-- those known only by its token, and again each event of another device that carried its token. Null if there are none, or
-- if the dataset's rows have tombstones of their own.
--
--   given   the position of the last row read
CREATE OR REPLACE FUNCTION export.tombstones(dataset text, app integer, after bigint, upto bigint, given bigint) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT format('SELECT %1$s FROM unnest(export.erased_positions(%3$s, %4$s, %5$L)) AS v (position) WHERE v.position > %6$s
      UNION ALL
      SELECT %2$s FROM export.%7$I(%3$s) v
      WHERE v.position = ANY (ARRAY(SELECT unnest(export.changed_positions(%3$s, %4$s, %5$L)))) AND v.position > %6$s
      ORDER BY position LIMIT 8192',
    c.gone, c.changed, app, after, e.surrogates, given, dataset)
  FROM export.dataset d, export.erased(app, after, upto) AS e (surrogates), (
    SELECT string_agg(CASE name WHEN 'position' THEN 'v.position' WHEN 'tombstone' THEN 'true' ELSE 'NULL' END, ', ') AS gone,
      string_agg(CASE name WHEN 'tombstone' THEN 'false' ELSE format('v.%I', name) END, ', ') AS changed
    FROM export.columns(dataset)
  ) c
  WHERE d.name = dataset AND d.keys = '{}' AND after > 0 AND e.surrogates IS NOT NULL
$$;
