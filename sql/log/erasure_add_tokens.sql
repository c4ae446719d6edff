-- Adds to the ledger what appends stored that were under way as the erasure of a device began: further tokens that belong to it alone.
-- Call it once those have ended (log.drain_appends). Returns how many there were: appends that began before they were refused may
-- have stored events of others with them, and have to end, too, before log.erasure_finish.
CREATE OR REPLACE FUNCTION log.erasure_add_tokens(app integer, device text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  tokens bytea[];
  added  bigint;
BEGIN
  -- Hardly ever are there any: the log stands still only if there are.
  SELECT array_agg(t.token) INTO tokens
  FROM log.erasure_keys() k, unnest(log.erasure_tokens(app, device)) AS t (token)
  WHERE NOT EXISTS (
    SELECT FROM log.erasure e
    WHERE e.app_id = app AND e.bucket = hashtextextended(encode(t.token, 'hex'), k.seed)
      AND e.key = log.keyed_hash(k.inner_pad, k.outer_pad, app || ' token ' || encode(t.token, 'hex')));
  IF tokens IS NULL THEN
    RETURN 0;
  END IF;
  PERFORM log.refuse_closed(log.enter_epoch());
  INSERT INTO log.erasure (app_id, bucket, key, what, erased_at)
  SELECT app, hashtextextended(encode(token, 'hex'), k.seed),
    log.keyed_hash(k.inner_pad, k.outer_pad, app || ' token ' || encode(token, 'hex')), 'token', clock_timestamp()
  FROM log.erasure_keys() k, unnest(tokens) AS t (token)
  ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS added = ROW_COUNT;
  RETURN added;
END $$;
