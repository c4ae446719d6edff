-- HMAC-SHA-256 (RFC 2104) of a text, with the key's two pads of log.erasure_keys().
CREATE OR REPLACE FUNCTION log.keyed_hash(inner_pad bytea, outer_pad bytea, what text) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT sha256(outer_pad || sha256(inner_pad || convert_to(what, 'UTF8'))) $$;
