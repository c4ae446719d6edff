-- The positions, up to a limit, of events of other devices that carried a token of an erased device alone: the events are
-- still stored, with the token's surrogate. A device that was erased earlier is another device, too: a reader may have read its
-- events since, with the token, which was not its own.
CREATE OR REPLACE FUNCTION export.changed_positions(app integer, upto bigint, surrogates text[]) RETURNS bigint[]
LANGUAGE sql STABLE AS $$
  SELECT array_agg(e.position)
  FROM unnest(export.erased_tokens(app, surrogates)) AS t (token) JOIN log.event e USING (token)
  WHERE e.app_id = app AND e.device_id <> ''
    AND e.device_id NOT IN (SELECT unnest(surrogates)) AND e.position <= upto
$$;
