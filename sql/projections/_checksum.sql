-- SHA-256 of a text, as hexadecimal.
CREATE OR REPLACE FUNCTION projection.checksum(text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex') $$;
