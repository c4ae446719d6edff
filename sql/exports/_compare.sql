-- Numbers the rows of a dataset that differ from the last exported ones, from `last` + 1, and returns how many there were.
--
--   touched  the devices to compare; null: all rows
CREATE OR REPLACE FUNCTION export.compare(dataset text, app integer, last bigint, touched text[]) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  keys    text;
  source  text;
  scope   text := '';
  found   bigint;
  gone    bigint;
BEGIN
  SELECT string_agg(format('%I', k.name), ', ' ORDER BY k.ordinal) INTO keys
  FROM export.dataset d, unnest(d.keys) WITH ORDINALITY AS k (name, ordinal)
  WHERE d.name = dataset;
  IF touched = '{}' THEN
    RETURN 0;
  END IF;
  -- OFFSET computes each digest once, before rows are joined and sorted, so that those are as narrow as their keys.
  source := format('SELECT %s, md5(v::text)::uuid AS digest FROM %s OFFSET 0', keys, format(CASE WHEN touched IS NULL THEN 'export.%I($1) v'
    ELSE '(SELECT DISTINCT unnest($3)) AS t (device) JOIN export.%I($1) v ON v.device_id = t.device COLLATE "C"' END, dataset));
  IF touched IS NOT NULL THEN
    scope := ' AND r.device_id = ANY ($3)';
    -- For a few devices the planner must not read the whole table.
    PERFORM projection.only_index_lookups(cardinality(touched) < 10000);
  END IF;
  -- Deleted rows first: if nothing was exported yet, there are none.
  EXECUTE format(
    'UPDATE export.%1$I r
     SET digest = NULL, change = $2 + g.number
     FROM (
       SELECT r.row_id, row_number() OVER (ORDER BY r.row_id) AS number
       FROM export.%1$I r
       WHERE r.app_id = $1 AND r.digest IS NOT NULL%2$s
         AND NOT EXISTS (SELECT FROM export.%3$I($1) v WHERE %4$s)) g
     WHERE r.app_id = $1 AND r.row_id = g.row_id%2$s',
    dataset || '_row', scope, dataset, export.key_match(dataset, 'r', 'v'))
  USING app, last, touched;
  GET DIAGNOSTICS gone = ROW_COUNT;
  EXECUTE format(
    'INSERT INTO export.%1$I AS r (app_id, %2$s, digest, change)
     SELECT $1, %3$s, v.digest, $2 + row_number() OVER (ORDER BY %3$s)
     FROM (%4$s) v
     LEFT JOIN export.%1$I r ON r.app_id = $1 AND %5$s
     WHERE r.digest IS DISTINCT FROM v.digest
     ON CONFLICT (app_id, %2$s) DO UPDATE SET digest = excluded.digest, change = excluded.change',
    dataset || '_row', keys, regexp_replace(keys, '(\w+)', 'v.\1', 'g'), source, export.key_match(dataset, 'r', 'v'))
  USING app, last + gone, touched;
  GET DIAGNOSTICS found = ROW_COUNT;
  PERFORM projection.only_index_lookups(false);
  RETURN found + gone;
END $$;
