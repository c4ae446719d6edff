-- The devices whose tokens the events of a range of the log may have changed: the senders, and the current and former
-- devices of the tokens, because a token can move. Null if a device was erased: ties between devices are broken by their
-- ids.
CREATE OR REPLACE FUNCTION export.token_devices(app integer, after bigint, upto bigint) RETURNS text[]
LANGUAGE sql STABLE AS $$
  WITH new AS MATERIALIZED (
    SELECT e.device_id, e.token, e.kind
    FROM log.event e
    WHERE e.app_id = app AND e.position > after AND e.position <= upto AND e.kind IN ('token', 'push_result', 'erasure')
    UNION ALL
    SELECT c.device_id, c.token, c.kind
    FROM log.copy c
    WHERE c.app_id = app AND c.position > after AND c.position <= upto AND c.kind IN ('token', 'push_result', 'erasure'))
  SELECT coalesce(array_agg(DISTINCT device_id), '{}')
  FROM (
    SELECT device_id FROM new
    UNION ALL
    SELECT t.device_id FROM projection.device_token t WHERE t.app_id = app AND t.token IN (SELECT token FROM new)
  ) device
  HAVING NOT EXISTS (SELECT FROM new WHERE kind = 'erasure')
$$;
