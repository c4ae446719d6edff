-- The life of each device token. A function of: token events, and the push_results that bear on a token.

-- The events that a token's state is made of, as they were sent.
CREATE TABLE IF NOT EXISTS token_event (
  app_id      integer          NOT NULL,
  device_id   text COLLATE "C" NOT NULL,   -- '' where a push_result did not say
  token       bytea            NOT NULL,
  at          timestamptz      NOT NULL,   -- of a dead token: when APNs says it was last known dead
  id          uuid             NOT NULL,
  what        text COLLATE "C" NOT NULL,   -- registered, unregistered, dead, misdirected
  provider    text COLLATE "C" NOT NULL,
  type        text COLLATE "C" NOT NULL,
  topic       text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  activity_id text COLLATE "C" NOT NULL,   -- what a device has several of: see device_token
  PRIMARY KEY (app_id, device_id, token, at, id)
);
CREATE INDEX IF NOT EXISTS token_event_token ON token_event (app_id, token);
CREATE INDEX IF NOT EXISTS token_event_activity ON token_event (app_id, device_id, activity_id)
  WHERE what = 'registered' AND type = 'activity_update';   -- for the report live_activities
CREATE INDEX IF NOT EXISTS token_event_other ON token_event (app_id, token) WHERE what <> 'registered';   -- few, for the report tokens

-- The newest push accepted for a token, in the tie order: all that is needed of the many.
CREATE TABLE IF NOT EXISTS token_accepted (
  app_id    integer          NOT NULL,
  provider  text COLLATE "C" NOT NULL,
  token     bytea            NOT NULL,
  at        timestamptz      NOT NULL,
  device_id text COLLATE "C" NOT NULL,   -- of the answer, '' where it did not say
  id        uuid             NOT NULL,
  PRIMARY KEY (app_id, provider, token)
) WITH (fillfactor = 80);

-- Devices of which more events of tokens are stored than any has that a person holds (10,000). Of these no state is computed:
-- they have no rows in device_token. What they said still counts for the other devices of their tokens, so that it matters
-- only what was stored, not in which order.
CREATE TABLE IF NOT EXISTS device_excess (
  app_id    integer          NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (app_id, device_id)
);

-- Tokens of which there are more (10,000): they have no rows in device_token either, and still supersede others.
CREATE TABLE IF NOT EXISTS token_excess (
  app_id    integer          NOT NULL,
  device_id text COLLATE "C" NOT NULL,   -- '': it is a token of many
  token     bytea            NOT NULL,
  PRIMARY KEY (app_id, token)
);

-- The tokens that came to an end with a device at any time, whether or not the device registered them again.
CREATE TABLE IF NOT EXISTS token_end (
  app_id    integer          NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  token     bytea            NOT NULL,
  ended_at  timestamptz      NOT NULL,   -- the first end of all
  is_whole  boolean          NOT NULL,
  PRIMARY KEY (app_id, device_id, token)
);
COMMENT ON COLUMN token_end.is_whole IS 'book-keeping: whether token_request has all of its requests; if not, the log has them';
CREATE INDEX IF NOT EXISTS token_end_token ON token_end (app_id, token, device_id);   -- the device too: as device_token_token

-- The requests that were due at the first end or after it, as far as the log holds them: for tokens and reachability, as they
-- are few and lie far apart in the log.
CREATE TABLE IF NOT EXISTS token_request (
  app_id      integer          NOT NULL,
  device_id   text COLLATE "C" NOT NULL,
  token       bytea            NOT NULL,
  at          timestamptz      NOT NULL,
  id          uuid             NOT NULL,
  environment text COLLATE "C",            -- push.environment of the request
  topic       text COLLATE "C",            -- push.topic
  received_at timestamptz      NOT NULL,   -- by the server's clock, which decides when the log drops it
  due_at          timestamptz  NOT NULL,   -- at; when the push is scheduled for, where that is later
  notification_id text COLLATE "C",        -- null where the request makes no notification: it names none, or repeats
  occurrence      timestamptz  NOT NULL,   -- of the notification, as its row has it
  PRIMARY KEY (app_id, device_id, token, at, id)
);
COMMENT ON COLUMN token_request.received_at IS 'book-keeping: when it was received, as the log drops it by that';
CREATE INDEX IF NOT EXISTS token_request_token ON token_request (app_id, token);

-- When the newest request to a token was received: the log need not be read beyond it.
CREATE TABLE IF NOT EXISTS token_newest (
  app_id      integer     NOT NULL,
  received_at timestamptz NOT NULL,
  PRIMARY KEY (app_id)
) WITH (fillfactor = 80);
COMMENT ON COLUMN token_newest.received_at IS 'book-keeping: when the newest was received';

-- One row per token and device it belonged to. `stale` is not stored: it is a matter of when one reads.
CREATE TABLE IF NOT EXISTS device_token (
  app_id             integer          NOT NULL,
  device_id          text COLLATE "C" NOT NULL,
  provider           text COLLATE "C" NOT NULL,   -- apns, fcm
  type               text COLLATE "C" NOT NULL,   -- alert, voip, activity_update, push_to_start, widget, control, complication, location, other
  topic              text COLLATE "C" NOT NULL,   -- '' where it was not said
  environment        text COLLATE "C" NOT NULL,   -- sandbox, production
  activity_id        text COLLATE "C" NOT NULL,   -- of activity_update its activity, of push_to_start its attributes_type, of control its control_kind; else ''
  token              bytea            NOT NULL,   -- SHA-256 digest
  state              text COLLATE "C" NOT NULL,   -- active, superseded, moved, invalidated, misdirected
  registered_at      timestamptz      NOT NULL,   -- first registration
  last_registered_at timestamptz      NOT NULL,
  ended_at           timestamptz,                 -- null while active or misdirected
  PRIMARY KEY (app_id, device_id, provider, type, topic, environment, activity_id, token)
) WITH (fillfactor = 80);
CREATE INDEX IF NOT EXISTS device_token_token ON device_token (app_id, token, device_id);   -- the device too: it also serves look-ups by key
