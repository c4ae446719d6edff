-- Whether the ledger has a device whose erasure is finished.
CREATE OR REPLACE FUNCTION log.is_erased(app integer, device text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM log.erasure l, log.erasure_keys() k
    WHERE l.app_id = app AND l.bucket = hashtextextended(device, k.seed) AND l.position IS NOT NULL
      AND l.key = log.keyed_hash(k.inner_pad, k.outer_pad, app || ':' || device))
$$;
