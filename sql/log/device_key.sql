-- The key of a device in the ledger and in log.tombstone, in hexadecimal.
CREATE OR REPLACE FUNCTION log.device_key(app integer, device text) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT encode(log.keyed_hash(k.inner_pad, k.outer_pad, app || ':' || device), 'hex') FROM log.erasure_keys() k
$$;
