-- An id of a quarantined item, as the log would store it: of one that is hashed, the hash alone.
CREATE OR REPLACE FUNCTION log.quarantined_id(id text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT regexp_replace(id, '^hmac-sha256:', '') $$;
