-- The positions, up to a limit, of the events of erased devices, including events without a device that carry a token of
-- theirs alone.
CREATE OR REPLACE FUNCTION export.erased_positions(app integer, upto bigint, surrogates text[]) RETURNS bigint[]
LANGUAGE sql STABLE AS $$
  SELECT array_agg(position)
  FROM (
    SELECT e.position FROM unnest(surrogates) AS s (device_id) JOIN log.event e USING (device_id) WHERE e.app_id = app
    UNION
    SELECT e.position FROM unnest(export.erased_tokens(app, surrogates)) AS t (token) JOIN log.event e USING (token)
    WHERE e.app_id = app AND e.device_id = ''
  ) p
  WHERE position <= upto
$$;
