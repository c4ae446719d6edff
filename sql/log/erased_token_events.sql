-- Events of tokens to reconsider: devices had events at the same time, so their ids broke the tie, and one of a token's
-- devices was erased in a range of the log. Only events given to the version that is being applied, as always.
CREATE OR REPLACE FUNCTION log.erased_token_events(after bigint, upto bigint) RETURNS SETOF log.event
LANGUAGE plpgsql STABLE AS $$
DECLARE
  token_of record;
BEGIN
  FOR token_of IN
    SELECT t.app_id, t.token
    FROM log.erased_between(after, upto) d
    JOIN log.event t ON t.app_id = d.app_id AND t.device_id = d.device_id
    WHERE t.token IS NOT NULL
    UNION
    SELECT t.app_id, t.token
    FROM log.erased_copies_between(after, upto) d
    JOIN log.copy t ON t.app_id = d.app_id AND t.device_id = d.device_id
    WHERE t.token IS NOT NULL
  LOOP
    RETURN QUERY
    SELECT e.* FROM projection.applied(upto) e
    WHERE e.app_id = token_of.app_id AND e.token = token_of.token AND e.kind IN ('token', 'push_result')
    UNION ALL
    SELECT e.* FROM projection.copies_applied(upto) e
    WHERE e.app_id = token_of.app_id AND e.token = token_of.token AND e.kind IN ('token', 'push_result');
  END LOOP;
END $$;
