-- oldest service: 21
-- A proof of the secret by which apps hash ids, so that another one is noticed before it splits devices in two.

CREATE TABLE notilog.id_hash_secret (
  proof      bytea       NOT NULL CHECK (octet_length(proof) = 32),
  settled_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX id_hash_secret_one ON notilog.id_hash_secret ((true));
COMMENT ON TABLE notilog.id_hash_secret IS 'A proof of NOTILOG_ID_HASH_SECRET, which the first service with an app that hashes ids sets. At most one row.';
COMMENT ON COLUMN notilog.id_hash_secret.proof IS 'HMAC-SHA-256 of a constant text by the secret. It is of no use without the secret.';
COMMENT ON COLUMN notilog.id_hash_secret.settled_at IS 'When it was set.';
