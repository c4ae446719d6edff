-- Runs of notification service extensions. A function of: delivery events whose source is service_extension.
CREATE TABLE IF NOT EXISTS notification_extension (
  app_id             integer          NOT NULL,
  device_id          text COLLATE "C" NOT NULL,
  notification_id    text COLLATE "C" NOT NULL,
  occurrence         timestamptz      NOT NULL,   -- -infinity where there is none
  at                 timestamptz      NOT NULL,
  id                 uuid             NOT NULL,
  outcome            text COLLATE "C",            -- modified, unmodified, expired, filtered; null where it was not said
  duration_ms        integer,
  attachments_loaded integer,
  attachments_failed integer,
  PRIMARY KEY (app_id, device_id, notification_id, occurrence, at, id)
);
