-- Handles rows that changed after they were numbered, before a chunk of a dataset is read, in the same REPEATABLE READ
-- transaction. Their current content does not belong to their number, so they are marked to be exported again under the
-- next number, even if they have their earlier content by then.
CREATE OR REPLACE FUNCTION export.mark(dataset text, app integer, after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' SET DateStyle = 'ISO' SET bytea_output = 'hex' AS $$
#variable_conflict use_variable
BEGIN
  PERFORM FROM export.feed f
  WHERE (f.app_id, f.dataset) = (app, dataset) AND f.position = export.standing(dataset, app) AND f.lanes = export.lanes(dataset)
    AND f.basis = export.basis(dataset, app) AND NOT export.is_unfinished(dataset);
  IF FOUND THEN
    RETURN;   -- no row can have changed
  END IF;
  PERFORM export.refuse_moving();
  EXECUTE format(
    'UPDATE export.%1$I r SET digest = ''00000000-0000-0000-0000-000000000000''
     FROM (
       SELECT r.row_id
       FROM export.%1$I r LEFT JOIN LATERAL (SELECT * FROM export.%2$I($1) v WHERE %3$s OFFSET 0) v ON true
       WHERE r.app_id = $1 AND r.change > $2 AND r.change <= $3 AND r.digest IS DISTINCT FROM md5(v::text)::uuid
     ) other
     WHERE r.app_id = $1 AND r.change > $2 AND r.change <= $3 AND r.row_id = other.row_id',
    dataset || '_row', dataset, export.key_match(dataset, 'r', 'v'))
  USING app, after, upto;
END $$;
