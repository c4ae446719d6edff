-- The query for a chunk of a dataset: the rows with numbers in (after, upto], in order, with the columns of
-- export.columns(dataset). For COPY, which takes no parameters.
--
-- Each row is looked up by its keys: a dataset that sums what lanes counted would otherwise be summed whole for every chunk.
--
-- A row of a device that was erased since its rows were numbered is left out: under its row_id, a reader would hear both the device
-- and its surrogate. The next numbering lays a tombstone and gives the row another row_id.
CREATE OR REPLACE FUNCTION export.chunk(dataset text, app integer, after bigint, upto bigint) RETURNS text
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
DECLARE
  declared export.dataset;
  columns  text;
  nothing  text;
BEGIN
  SELECT * INTO STRICT declared FROM export.dataset d WHERE d.name = dataset;
  IF declared.keys = '{}' THEN
    SELECT string_agg(CASE c.name WHEN 'tombstone' THEN 'false' ELSE format('%I', c.name) END, ', ') INTO columns
    FROM export.columns(dataset) c;
    RETURN format('SELECT %s FROM export.%I(%s) v WHERE v.position > %s AND v.position <= %s ORDER BY v.position',
      columns, dataset, app, after, upto);
  END IF;
  SELECT string_agg(CASE
      WHEN c.name = ANY (declared.keys) THEN format('CASE WHEN v.app_id IS NOT NULL OR %L THEN r.%I END', declared.zeros, c.name)
      WHEN declared.zeros THEN format('coalesce(v.%I, 0)', c.name)
      ELSE format('v.%I', c.name) END, ', ' ORDER BY c.ordinal),
    string_agg(format('NULL::%s', c.type), ', ' ORDER BY c.ordinal)
  INTO columns, nothing
  FROM export.row_columns(dataset) c;
  RETURN format(
    'SELECT r.change, r.row_id, %1$s, %2$s
     FROM export.%3$I r LEFT JOIN LATERAL (SELECT * FROM export.%4$I(%5$s) v WHERE %6$s OFFSET 0) v ON true
     WHERE r.app_id = %5$s AND r.change > %7$s AND r.change <= %8$s%11$s
     UNION ALL
     SELECT t.change, t.row_id, true, %9$s
     FROM export.tombstone t
     WHERE (t.app_id, t.dataset) = (%5$s, %10$L) AND t.change > %7$s AND t.change <= %8$s
     ORDER BY 1',
    CASE WHEN declared.zeros THEN 'false' ELSE 'v.app_id IS NULL' END, columns, dataset || '_row', dataset, app,
    export.key_match(dataset, 'r', 'v'), after, upto, nothing, dataset,
    CASE WHEN 'device_id' = ANY (declared.keys) THEN format(
      ' AND r.device_id NOT IN (SELECT unnest(export.erased(%s, f.settled, 9223372036854775807)) FROM export.feed f WHERE (f.app_id, f.dataset) = (%s, %L))',
      app, app, dataset) ELSE '' END);
END $$;
