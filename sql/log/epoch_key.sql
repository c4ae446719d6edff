-- The advisory lock key of an epoch: Notilog's own high bits, so that other users of advisory locks stay out of the way.
CREATE OR REPLACE FUNCTION log.epoch_key(epoch bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT (x'4E4F5449'::bigint << 32) + epoch $$;
