-- The surrogates of tokens that belonged to erased devices alone.
CREATE OR REPLACE FUNCTION export.erased_tokens(app integer, surrogates text[]) RETURNS bytea[]
LANGUAGE sql STABLE AS $$
  SELECT ARRAY(SELECT unnest(own.tokens) EXCEPT SELECT unnest(log.held_tokens(app, surrogates, own.tokens)))
  FROM (
    SELECT array_agg(DISTINCT e.token) AS tokens
    FROM unnest(surrogates) AS s (device_id) JOIN log.event e USING (device_id)
    WHERE e.app_id = app AND e.token IS NOT NULL
  ) own
$$;
