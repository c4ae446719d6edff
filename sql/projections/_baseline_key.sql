-- The advisory lock of whoever reads or writes the baseline as a whole.
CREATE OR REPLACE FUNCTION projection.baseline_key() RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT x'4E4F544962617365'::bigint $$;
