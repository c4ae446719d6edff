-- The app's own questions before the system's: rare, so every event is kept. A function of: permission_prompt events.
CREATE TABLE IF NOT EXISTS permission_prompt (
  app_id    integer          NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  at        timestamptz      NOT NULL,
  id        uuid             NOT NULL,
  placement text COLLATE "C",            -- where in the app it was asked
  variant   text COLLATE "C",
  answer    text COLLATE "C",            -- continued, later, never, dismissed; null where not said
  PRIMARY KEY (app_id, device_id, at, id)
);
