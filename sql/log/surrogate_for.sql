-- The surrogate of what an erased device named, under the random key of its erasure, which nothing keeps: the same name has the same
-- surrogate throughout, and nothing links the two afterwards. An empty name stays.
CREATE OR REPLACE FUNCTION log.surrogate_for(key bytea, original text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE original WHEN '' THEN '' ELSE
    'erased-' || encode(substr(sha256(key || convert_to(original, 'UTF8')), 1, 16), 'hex')::uuid END
$$;
