-- The surrogates of tokens that belonged to erased devices alone: those that the erasure found in events that are not the device's own,
-- and of an erasure by an older release, those in the device's.
CREATE OR REPLACE FUNCTION export.erased_tokens(app integer, surrogates text[]) RETURNS bytea[]
LANGUAGE sql STABLE AS $$
  SELECT ARRAY(
    SELECT unnest(own.tokens) EXCEPT SELECT unnest(log.held_tokens(app, surrogates, own.tokens))
    UNION
    SELECT t.token FROM unnest(surrogates) AS s (surrogate) JOIN log.erased_token t USING (surrogate) WHERE t.app_id = app)
  FROM (
    SELECT array_agg(DISTINCT e.token) AS tokens
    FROM unnest(surrogates) AS s (device_id) JOIN log.event e USING (device_id)
    WHERE e.app_id = app AND e.token IS NOT NULL
  ) own
$$;
