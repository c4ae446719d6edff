-- The keys of the ledger's hashes: the pads of its key, the seed of its buckets, and a proof that identifies the key.
CREATE OR REPLACE FUNCTION log.erasure_keys(OUT inner_pad bytea, OUT outer_pad bytea, OUT seed bigint, OUT proof bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.inner_pad, p.outer_pad, s.seed, s.proof FROM log.erasure_seed() s, log.hmac_pads(s.key) p
$$;
