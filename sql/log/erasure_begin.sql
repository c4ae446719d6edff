-- Adds a device to the ledger: once this is committed and the appends under way have ended (log.drain_appends), no event
-- of it is stored any more. The same holds for tokens that belong to it alone, which it returns, and for `more`: those that belong
-- to it alone in another cell.
CREATE OR REPLACE FUNCTION log.erasure_begin(app integer, device text, more bytea[] DEFAULT '{}') RETURNS bytea[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  own bytea[];
BEGIN
  IF device = '' THEN
    RAISE EXCEPTION 'a device id must not be empty: events without one belong to no device' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  PERFORM log.erasure_secret_settle();
  own := log.erasure_tokens(app, device);
  INSERT INTO log.erasure (app_id, bucket, key, what, erased_at)
  SELECT app, hashtextextended(device, k.seed), log.keyed_hash(k.inner_pad, k.outer_pad, app || ':' || device), 'device',
    clock_timestamp()
  FROM log.erasure_keys() k
  UNION ALL
  SELECT app, hashtextextended(encode(token, 'hex'), k.seed),
    log.keyed_hash(k.inner_pad, k.outer_pad, app || ' token ' || encode(token, 'hex')), 'token', clock_timestamp()
  FROM log.erasure_keys() k, (SELECT unnest(own) UNION SELECT unnest(more)) AS t (token)
  ON CONFLICT DO NOTHING;
  INSERT INTO log.erasure_pending VALUES (app, device) ON CONFLICT DO NOTHING;
  RETURN own;
END $$;
