-- The surrogates of devices whose erasure is recorded in a range of the log, among them those of other cells that had left something
-- here; null if there are none.
CREATE OR REPLACE FUNCTION export.erased(app integer, after bigint, upto bigint) RETURNS text[]
LANGUAGE sql STABLE AS $$
  SELECT array_agg(e.device_id)
  FROM (
    SELECT * FROM log.erased_between(after, upto)
    UNION ALL
    SELECT * FROM log.erased_copies_between(after, upto)
  ) e
  WHERE e.app_id = app
$$;
