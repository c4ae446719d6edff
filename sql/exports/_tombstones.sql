-- The query for the next 8192 tombstones that come before the events of a range of the log, by position: of each device whose
-- erasure is recorded in it, the events at or before `after`, with the push results that bore on its tokens alone. Null where
-- there are none, or where the dataset's rows have tombstones of their own.
--
--   given   the position of the last one that was read
CREATE OR REPLACE FUNCTION export.tombstones(dataset text, app integer, after bigint, upto bigint, given bigint) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT format('SELECT %s FROM unnest(export.erased_positions(%s, %s, %L)) AS v (position) WHERE v.position > %s
      ORDER BY v.position LIMIT 8192',
    (SELECT string_agg(CASE c.name WHEN 'position' THEN 'v.position' WHEN 'tombstone' THEN 'true' ELSE 'NULL::' || c.type END, ', ')
      FROM export.columns(dataset) c),
    app, after, e.surrogates, given)
  FROM export.dataset d, export.erased(app, after, upto) AS e (surrogates)
  WHERE d.name = dataset AND d.keys = '{}' AND after > 0 AND e.surrogates IS NOT NULL
$$;
