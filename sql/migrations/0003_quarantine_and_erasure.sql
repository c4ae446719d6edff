-- A quarantine that is bounded, and the erasure of devices.

-- Quarantine ---------------------------------------------------------------------------------------------------------

-- What an item counts for against its app's limit: its JSON and its message, and what a row takes beside them.
ALTER TABLE log.quarantine ADD COLUMN bytes integer NOT NULL DEFAULT 0;
UPDATE log.quarantine SET bytes = 256 + octet_length(message) + octet_length(pointer) + coalesce(octet_length(item::text), 0);

CREATE INDEX quarantine_age ON log.quarantine (received_at);

-- How full it is, so that nobody has to count: an app's rows are written under its lock (log.quarantine_lock).
CREATE TABLE log.quarantine_usage (
  app_id integer NOT NULL,
  code   text    NOT NULL,
  items  bigint  NOT NULL,
  bytes  bigint  NOT NULL,
  PRIMARY KEY (app_id, code)
);
INSERT INTO log.quarantine_usage SELECT app_id, code, count(*), sum(bytes) FROM log.quarantine GROUP BY 1, 2;

-- Erasure ------------------------------------------------------------------------------------------------------------

-- The ledger: one row per device erased, and one per token that was its alone, by keyed hash. It outlives everything else
-- that was known of the device, and refuses what an offline client or its provider sends later.
CREATE TABLE log.erasure (
  app_id    integer     NOT NULL,
  bucket    bigint      NOT NULL,   -- a quick hash, seeded from the secret: which of the rows to compare with
  key       bytea       NOT NULL CHECK (octet_length(key) = 32),  -- HMAC-SHA-256 (RFC 2104) of app and device, or token
  what      text        NOT NULL CHECK (what IN ('device', 'token')),
  erased_at timestamptz NOT NULL,   -- when it was asked for
  position  bigint,                 -- of the event that records it; null until everything is erased, and for a token
  PRIMARY KEY (app_id, bucket, key)
);
CREATE INDEX erasure_position ON log.erasure (position);

-- Devices whose erasure has begun: they are refused already and still stand in the log, so that their id may stand here
-- until whoever began, or the service in the background, has finished.
CREATE TABLE log.erasure_pending (
  app_id    integer          NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (app_id, device_id)
);

-- What the ledger's hashes are keyed with: random, and the database's own, so that every dump holds it; or brought by each
-- session as the setting notilog.erasure_secret, so that no dump does. Settled by the first erasure.
CREATE TABLE log.erasure_secret (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  secret   bytea,   -- null where sessions bring it
  proof    bytea,   -- what the secret that sessions bring makes of nothing, to tell another one
  CHECK ((secret IS NULL) <> (proof IS NULL))
);
INSERT INTO log.erasure_secret (secret) VALUES (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- Which events bear on a token: to find those without a device, and whether a token is another device's, too.
CREATE INDEX event_token ON log.event (app_id, token) WHERE token IS NOT NULL AND kind IN ('token', 'push_result');

-- Registrations of one instant, between which the device decides.
CREATE INDEX event_registration ON log.event (app_id, effective_at) WHERE kind = 'category_registration';

-- For exports: devices that are gone, to be deleted wherever their rows were copied to. `device_key` is what
-- log.device_key() gives for the rows as they were.
CREATE VIEW log.tombstone AS
SELECT app_id, encode(key, 'hex') AS device_key, erased_at, position
FROM log.erasure
WHERE what = 'device' AND position IS NOT NULL;
