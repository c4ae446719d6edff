-- The advisory lock that every batch of every version of every projection holds shared.
CREATE OR REPLACE FUNCTION projection.still_key() RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT x'4E4F54497374696C'::bigint $$;
