-- What apps asked people for, and when people looked at the app's notification settings: rare, so every event is kept.
-- A function of: authorization_request and open_settings events.
CREATE TABLE IF NOT EXISTS authorization_request (
  app_id        integer          NOT NULL,
  device_id     text COLLATE "C" NOT NULL,
  at            timestamptz      NOT NULL,
  id            uuid             NOT NULL,
  options       text COLLATE "C",      -- joined by commas in the order of UNAuthorizationOptions' bits; null where not said
  granted       boolean,
  error         text COLLATE "C",
  status_before text COLLATE "C",      -- authorization_status just before the request; null where not said
  context       jsonb,                 -- the event's own, as in device_period; null where it has none
  PRIMARY KEY (app_id, device_id, at, id)
);

-- The person opened the app's notification settings from the system's.
CREATE TABLE IF NOT EXISTS open_settings (
  app_id    integer          NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  at        timestamptz      NOT NULL,
  id        uuid             NOT NULL,
  PRIMARY KEY (app_id, device_id, at, id)
);
