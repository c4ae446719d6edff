-- A random surrogate for each of these texts, as an object from text to surrogate.
CREATE OR REPLACE FUNCTION log.surrogates(originals text[]) RETURNS jsonb
LANGUAGE sql VOLATILE AS $$
  SELECT coalesce(jsonb_object_agg(original, 'erased-' || gen_random_uuid()), '{}')
  FROM (SELECT DISTINCT original FROM unnest(originals) AS u (original) WHERE original IS NOT NULL) o
$$;
