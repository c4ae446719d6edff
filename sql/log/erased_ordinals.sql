-- The ordinals, from 1, of events that the ledger rejects; null if it rejects none. It rejects events of an erased device,
-- and events of any device with a token of an erased device, except registrations: once another device has registered the
-- token, it is that device's.
--
-- Every append calls it: so it first checks whether the ledger has any of the buckets, and only then the keyed hash, which
-- costs ten times as much; coalesce keeps the planner from hashing all of them.
CREATE OR REPLACE FUNCTION log.erased_ordinals(app_ids integer[], kinds text[], device_ids text[], tokens bytea[]) RETURNS bigint[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
  keys record;
  bucket_seed bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM log.erasure) THEN
    RETURN NULL;
  END IF;
  bucket_seed := (SELECT s.seed FROM log.erasure_seed() s);
  IF NOT EXISTS (
    SELECT FROM log.erasure e
    WHERE e.app_id = ANY (ARRAY(SELECT DISTINCT app_id FROM unnest(app_ids) AS a (app_id)))
      AND e.bucket = ANY (ARRAY(
        SELECT hashtextextended(device_id, bucket_seed) FROM unnest(device_ids) AS d (device_id)
        UNION
        SELECT hashtextextended(encode(token, 'hex'), bucket_seed) FROM unnest(tokens) AS t (token) WHERE token IS NOT NULL))
  ) THEN
    RETURN NULL;
  END IF;
  keys := log.erasure_keys();
  RETURN (
    SELECT array_agg(ordinal)
    FROM (
      SELECT ordinal
      FROM unnest(app_ids, device_ids) WITH ORDINALITY AS d (app_id, device_id, ordinal)
      JOIN log.erasure e ON e.app_id = d.app_id AND e.bucket = hashtextextended(d.device_id, keys.seed)
      WHERE coalesce(e.key = log.keyed_hash(keys.inner_pad, keys.outer_pad, d.app_id || ':' || d.device_id), false)
      UNION
      SELECT ordinal
      FROM unnest(app_ids, kinds, tokens) WITH ORDINALITY AS t (app_id, kind, token, ordinal)
      JOIN log.erasure e ON e.app_id = t.app_id AND e.bucket = hashtextextended(encode(t.token, 'hex'), keys.seed)
      WHERE t.kind IS DISTINCT FROM 'token' AND t.token IS NOT NULL
        AND coalesce(e.key = log.keyed_hash(keys.inner_pad, keys.outer_pad, t.app_id || ' token ' || encode(t.token, 'hex')), false)
        AND NOT log.is_registered(t.app_id, t.token)
    ) refused);
END $$;
