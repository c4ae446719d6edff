-- Handles the rows of erased devices, by their surrogates: a tombstone for each exported row, and another row_id for the row
-- under the surrogate, so that nothing links the two. A row that was deleted before gets one too: not every reader has heard of it.
-- Returns the number of tombstones.
CREATE OR REPLACE FUNCTION export.entomb(dataset text, app integer, last bigint, surrogates text[]) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  laid bigint;
BEGIN
  EXECUTE format(
    'INSERT INTO export.tombstone (app_id, dataset, change, row_id)
     SELECT $1, $2, $3 + row_number() OVER (ORDER BY r.row_id), r.row_id
     FROM export.%I r WHERE r.app_id = $1 AND r.device_id = ANY ($4)', dataset || '_row')
  USING app, dataset, last, surrogates;
  GET DIAGNOSTICS laid = ROW_COUNT;
  EXECUTE format('DELETE FROM export.%I r WHERE r.app_id = $1 AND r.device_id = ANY ($2)', dataset || '_row')
  USING app, surrogates;
  RETURN laid;
END $$;
