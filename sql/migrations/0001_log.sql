-- The event log and what surrounds it: apps and their keys, the identity table that stores each event once,
-- the epoch barrier's state, quarantine, and the checkpoints of projections.

CREATE SCHEMA notilog;
CREATE SCHEMA log;
CREATE SCHEMA projection;
CREATE SCHEMA report;

-- Apps and keys ------------------------------------------------------------------------------------------------------

CREATE TABLE notilog.app (
  app_id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name            text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
  keep_reply_text boolean NOT NULL DEFAULT false,
  hash_ids        boolean NOT NULL DEFAULT false,
  created_at      timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE notilog.api_key (
  key_id     text PRIMARY KEY,               -- the public part of the key, shown in lists and logs
  app_id     integer NOT NULL REFERENCES notilog.app,
  scope      text NOT NULL CHECK (scope IN ('write', 'provider', 'read', 'admin')),
  hash       bytea NOT NULL CHECK (octet_length(hash) = 32),  -- SHA-256 of the whole key
  label      text,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);

-- The log ------------------------------------------------------------------------------------------------------------

-- CACHE 1: a session that pools positions would hold low ones back past the epoch barrier.
CREATE SEQUENCE log.position CACHE 1;

-- Append-only. Partitioned by received_at so that retention drops whole partitions.
CREATE TABLE log.event (
  position        bigint      NOT NULL,
  received_at     timestamptz NOT NULL,   -- the server's clock
  occurred_at     timestamptz NOT NULL,   -- the sender's clock, as sent
  effective_at    timestamptz NOT NULL,   -- what projections and reports use, fixed here
  sent_at         timestamptz,            -- the sender's clock as it sent
  occurrence      timestamptz,            -- a firing of a repeating request (UNNotification.date)
  id              uuid        NOT NULL,
  app_id          integer     NOT NULL,
  utc_offset      smallint    NOT NULL,   -- minutes east of UTC in occurred_at as sent
  schema_version  smallint    NOT NULL,
  time_clamped    boolean     NOT NULL,
  kind            text COLLATE "C" NOT NULL,
  device_id       text COLLATE "C" NOT NULL,  -- '' where the kind allows it to be absent
  notification_id text COLLATE "C",           -- notification_id, else request_identifier
  token           bytea,                      -- SHA-256 of a device token
  data            jsonb       NOT NULL,       -- the event's other fields, normalised
  PRIMARY KEY (position, received_at)
) PARTITION BY RANGE (received_at);

-- A device's timeline. Duplicate keys are stored once a page, so this stays small.
CREATE INDEX event_device ON log.event (app_id, device_id);

-- One row per event ever accepted within the retention horizon: what a unique index on a partitioned table cannot say.
-- id leads, so that UUIDv7 ids are inserted at one end of the index.
CREATE TABLE log.identity (
  id          uuid    NOT NULL,
  digest      uuid    NOT NULL,   -- first 16 bytes of SHA-256 of the canonical event
  device_hash bigint  NOT NULL,   -- hashtextextended(device_id, 0)
  position    bigint  NOT NULL,
  app_id      integer NOT NULL,
  PRIMARY KEY (id, device_hash, app_id)
);

-- One row: the epoch barrier, and which log this is.
CREATE TABLE log.state (
  only_row         boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  epoch            bigint NOT NULL DEFAULT 1,   -- appends under way hold a shared lock on this epoch
  drained_epoch    bigint NOT NULL DEFAULT 0,   -- no append holds a lock on this epoch or an older one
  settled_position bigint NOT NULL DEFAULT 0,   -- every position up to here is committed or never will be
  incarnation      uuid   NOT NULL DEFAULT gen_random_uuid()
) WITH (fillfactor = 10);
INSERT INTO log.state DEFAULT VALUES;

-- Items that parsed but were rejected, redacted like accepted ones.
CREATE TABLE log.quarantine (
  quarantine_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app_id        integer     NOT NULL,
  key_id        text        NOT NULL,
  received_at   timestamptz NOT NULL,
  sent_at       timestamptz,
  code          text        NOT NULL,
  pointer       text        NOT NULL,
  message       text        NOT NULL,
  length        integer     NOT NULL,   -- bytes of the item as sent
  digest        uuid        NOT NULL,   -- of the item as sent
  item          jsonb,                  -- null where it did not parse
  replayed_at   timestamptz
);
CREATE INDEX quarantine_received ON log.quarantine (app_id, received_at);

-- What was not stored, counted for the activity report (duplicates leave no row in the log).
CREATE TABLE log.tally (
  app_id      integer     NOT NULL,
  received_at timestamptz NOT NULL,   -- start of the quarter hour
  kind        text        NOT NULL,   -- '' where it is not known
  outcome     text        NOT NULL,   -- duplicate, or the code of a rejection
  events      bigint      NOT NULL,
  PRIMARY KEY (app_id, received_at, kind, outcome)
);

-- Projections --------------------------------------------------------------------------------------------------------

CREATE TABLE projection.checkpoint (
  name       text PRIMARY KEY,
  position   bigint      NOT NULL DEFAULT 0,   -- applied up to and including this position of the log
  paused     boolean     NOT NULL DEFAULT false,
  updated_at timestamptz NOT NULL DEFAULT now(),
  failure    text                              -- why the last batch was not applied; null when it was
);
