-- Where the events of erased devices stand in the log, up to a position.
CREATE OR REPLACE FUNCTION export.erased_positions(app integer, upto bigint, surrogates text[]) RETURNS bigint[]
LANGUAGE sql STABLE AS $$
  WITH own AS MATERIALIZED (
    SELECT e.position, e.token FROM log.event e WHERE e.app_id = app AND e.device_id = ANY (surrogates)
  ), answers AS (
    SELECT r.position
    FROM (SELECT DISTINCT token FROM own WHERE token IS NOT NULL) t
    JOIN log.event r ON r.app_id = app AND r.token = t.token AND r.kind IN ('token', 'push_result') AND r.device_id = ''
    WHERE NOT EXISTS (SELECT FROM log.event o
      WHERE o.app_id = app AND o.token = t.token AND o.kind IN ('token', 'push_result')
        AND o.device_id <> '' AND o.device_id <> ALL (surrogates))
  )
  SELECT array_agg(position) FROM (SELECT position FROM own UNION TABLE answers) p WHERE position <= upto
$$;
