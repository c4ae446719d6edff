-- Notifications taken back or gone, once per reason and state. A function of: removal events.
CREATE TABLE IF NOT EXISTS notification_removal (
  app_id          integer          NOT NULL,
  device_id       text COLLATE "C" NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  occurrence      timestamptz      NOT NULL,   -- -infinity where there is none
  state           text COLLATE "C" NOT NULL,   -- pending, delivered; '' where it was not said
  reason          text COLLATE "C" NOT NULL,   -- replaced, removed_by_app, gone; '' where it was not said
  first_at        timestamptz      NOT NULL,
  PRIMARY KEY (app_id, device_id, notification_id, occurrence, state, reason)
);
