-- The key of the ledger, the seed of its buckets, and a proof that identifies the key: all that an append needs for a batch
-- without any bucket in the ledger.
--
-- The key is that of the database, or the secret in the session's setting notilog.erasure_secret. A session with another
-- secret is refused, because it could not check the ledger.
CREATE OR REPLACE FUNCTION log.erasure_seed(OUT key bytea, OUT seed bigint, OUT proof bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  known log.erasure_secret;
  given text := nullif(current_setting('notilog.erasure_secret', true), '');
BEGIN
  SELECT * INTO STRICT known FROM log.erasure_secret;
  IF known.secret IS NULL AND given IS NULL THEN
    RAISE EXCEPTION 'the ledger of erased devices needs its secret: set NOTILOG_ERASURE_SECRET'
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  key := coalesce(known.secret, sha256(convert_to(given, 'UTF8')));
  proof := sha256(key || '\x50');
  IF proof <> known.proof THEN
    RAISE EXCEPTION 'NOTILOG_ERASURE_SECRET is not the secret of the ledger of erased devices'
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  seed := ('x' || encode(substr(sha256(key || '\x42'), 1, 8), 'hex'))::bit(64)::bigint;
END $$;
