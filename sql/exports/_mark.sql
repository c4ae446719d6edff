-- Sees to rows that are no longer what they were when they were numbered, before a part of a dataset is read, in the same
-- REPEATABLE READ transaction: what is read of them now stands under a number that is another content's, so they are marked
-- to come again under the next one, even if they should be what they were by then.
CREATE OR REPLACE FUNCTION export.mark(dataset text, app integer, after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' SET DateStyle = 'ISO' SET bytea_output = 'hex' AS $$
#variable_conflict use_variable
BEGIN
  PERFORM FROM export.feed f
  WHERE (f.app_id, f.dataset) = (app, dataset) AND f.position = export.standing(dataset) AND f.basis = export.basis(dataset, app);
  IF FOUND THEN
    RETURN;   -- nothing can have changed
  END IF;
  EXECUTE format(
    'UPDATE export.%1$I r SET digest = ''00000000-0000-0000-0000-000000000000''
     FROM (
       SELECT r.row_id
       FROM export.%1$I r LEFT JOIN export.%2$I($1) v ON %3$s
       WHERE r.app_id = $1 AND r.change > $2 AND r.change <= $3 AND r.digest IS DISTINCT FROM md5(v::text)::uuid
     ) other
     WHERE r.app_id = $1 AND r.change > $2 AND r.change <= $3 AND r.row_id = other.row_id',
    dataset || '_row', dataset, export.key_match(dataset, 'r', 'v'))
  USING app, after, upto;
END $$;
