-- The surrogates of an app's devices whose erasure is recorded in a range of the log; null if there are none.
CREATE OR REPLACE FUNCTION export.erased(app integer, after bigint, upto bigint) RETURNS text[]
LANGUAGE sql STABLE AS $$
  SELECT array_agg(e.device_id) FROM log.erased_between(after, upto) e WHERE e.app_id = app
$$;
