-- The states of Live Activities, as devices sent them. A function of: live_activity events.
CREATE TABLE IF NOT EXISTS live_activity (
  app_id          integer          NOT NULL,
  device_id       text COLLATE "C" NOT NULL,
  at              timestamptz      NOT NULL,
  id              uuid             NOT NULL,
  activity_id     text COLLATE "C" NOT NULL,   -- ActivityKit's Activity.id
  attributes_type text COLLATE "C",      -- the type of its ActivityAttributes; null where not said
  state           text COLLATE "C",      -- started, updated, stale, ended, dismissed; null where not said
  started_by      text COLLATE "C",      -- app, push
  updates_by      text COLLATE "C",      -- none, token, channel
  channel_id      text COLLATE "C",      -- of broadcast updates; null where there is none
  context         jsonb,                 -- the event's own, as in device_period; null where it has none
  PRIMARY KEY (app_id, device_id, at, id)
);
CREATE INDEX IF NOT EXISTS live_activity_id ON live_activity (app_id, device_id, activity_id);

-- The pushes that were asked for to start, update and end Live Activities. A function of: requests with the push type
-- liveactivity.
CREATE TABLE IF NOT EXISTS live_activity_push (
  app_id          integer          NOT NULL,
  device_id       text COLLATE "C" NOT NULL,
  at              timestamptz      NOT NULL,
  id              uuid             NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  occurrence      timestamptz      NOT NULL,
  event           text COLLATE "C",      -- start, update, end; null where not said
  attributes_type text COLLATE "C",      -- of the Live Activity; null where not said
  activity_id     text COLLATE "C",      -- null where not known
  channel_id      text COLLATE "C",      -- of a broadcast push
  context         jsonb,                 -- the event's own, as in device_period; null where it has none
  PRIMARY KEY (app_id, device_id, at, id)
);
