-- Adds a device to the ledger: once this is committed and the appends under way have ended (log.drain_appends), no event
-- of it is stored any more. The same holds for tokens that belong to it alone. Returns their digests and, in a cell of several, what
-- the device named, for the other cells; what an earlier call returned is among it.
--
--   held     tokens that devices of other cells hold: they are not its own
--   more     digests of tokens that are its own in its cell
--   named    what it named there
--   is_told  whether every other cell knows of the erasure, or will be told with this call
CREATE OR REPLACE FUNCTION log.erasure_begin(
  app integer, device text, held bytea[] DEFAULT '{}', more bytea[] DEFAULT '{}', named text[] DEFAULT '{}',
  is_told boolean DEFAULT true, OUT tokens bytea[], OUT names text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  pending log.erasure_pending;
BEGIN
  IF device = '' THEN
    RAISE EXCEPTION 'a device id must not be empty: events without one belong to no device' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  tokens := ARRAY(SELECT unnest(log.erasure_tokens(app, device)) EXCEPT SELECT unnest(held) UNION SELECT unnest(more));
  names := named;
  IF NOT log.is_alone() THEN
    SELECT * INTO pending FROM log.erasure_pending p WHERE (p.app_id, p.device_id) = (app, device);
    tokens := ARRAY(SELECT unnest(tokens) UNION SELECT unnest(pending.tokens));
    names := ARRAY(
      SELECT n FROM unnest(log.erasure_names(app, device, tokens) || named || pending.names) AS u (n) WHERE n IS NOT NULL GROUP BY n);
  END IF;
  -- Nothing is settled from here to the commit: what a device of many tokens takes long for was done before.
  PERFORM log.refuse_closed(log.enter_epoch());
  PERFORM log.erasure_secret_settle();
  INSERT INTO log.erasure (app_id, bucket, key, what, erased_at)
  SELECT app, hashtextextended(device, k.seed), log.keyed_hash(k.inner_pad, k.outer_pad, app || ':' || device), 'device',
    clock_timestamp()
  FROM log.erasure_keys() k
  UNION ALL
  SELECT app, hashtextextended(encode(token, 'hex'), k.seed),
    log.keyed_hash(k.inner_pad, k.outer_pad, app || ' token ' || encode(token, 'hex')), 'token', clock_timestamp()
  FROM log.erasure_keys() k, unnest(tokens) AS t (token)
  ON CONFLICT DO NOTHING;
  IF log.is_alone() THEN
    INSERT INTO log.erasure_pending (app_id, device_id) VALUES (app, device) ON CONFLICT DO NOTHING;
  ELSE
    -- Another call may have told of more meanwhile.
    INSERT INTO log.erasure_pending AS p (app_id, device_id, tokens, names, is_told) VALUES (app, device, tokens, names, is_told)
    ON CONFLICT (app_id, device_id) DO UPDATE
    SET tokens = ARRAY(SELECT unnest(p.tokens) UNION SELECT unnest(excluded.tokens)),
      names = ARRAY(SELECT unnest(p.names) UNION SELECT unnest(excluded.names)), is_told = excluded.is_told;
  END IF;
END $$;

-- Records that every cell knows of an erasure that began here.
CREATE OR REPLACE FUNCTION log.erasure_told(app integer, device text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE log.erasure_pending p SET is_told = true WHERE (p.app_id, p.device_id) = (app, device)
$$;
