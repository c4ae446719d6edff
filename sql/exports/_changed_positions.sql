-- Where events stand in the log, up to a position, that are another device's than an erased one's and carried a token of that
-- one's alone: they are there still, under its surrogate.
CREATE OR REPLACE FUNCTION export.changed_positions(app integer, upto bigint, surrogates text[]) RETURNS bigint[]
LANGUAGE sql STABLE AS $$
  SELECT array_agg(e.position)
  FROM log.event e
  WHERE e.app_id = app AND e.token = ANY (export.erased_tokens(app, surrogates)) AND e.device_id <> ''
    AND NOT log.is_surrogate(e.device_id) AND e.position <= upto
$$;
