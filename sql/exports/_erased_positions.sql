-- The positions, up to a limit, of the events of erased devices, including events without a device that carry a token of
-- theirs alone.
CREATE OR REPLACE FUNCTION export.erased_positions(app integer, upto bigint, surrogates text[]) RETURNS bigint[]
LANGUAGE sql STABLE AS $$
  SELECT array_agg(position)
  FROM (
    SELECT e.position FROM log.event e WHERE e.app_id = app AND e.device_id = ANY (surrogates)
    UNION
    SELECT e.position FROM log.event e
    WHERE e.app_id = app AND e.token = ANY (export.erased_tokens(app, surrogates)) AND e.device_id = ''
  ) p
  WHERE position <= upto
$$;
