-- What is known of a device over time, as periods of unchanged value. A function of: every event with a `context`
-- (series `context`), every settings event (series `settings`).
--
-- A period is a maximal run, in the tie order (effective_at, id), of snapshots of one series with the same value.
CREATE TABLE IF NOT EXISTS device_period (
  app_id    integer          NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  series    text COLLATE "C" NOT NULL,
  first_at  timestamptz      NOT NULL,   -- the first snapshot in the period
  first_id  uuid             NOT NULL,
  last_at   timestamptz      NOT NULL,   -- the last snapshot in the period
  last_id   uuid             NOT NULL,
  value     jsonb            NOT NULL,
  PRIMARY KEY (app_id, device_id, series, first_at, first_id)
) WITH (fillfactor = 80);

-- What is left to do where an event bears on more notifications of a device than a batch updates: all of the device's are gone
-- through in the order of their keys, a slice a batch, and derived anew. Empty when all is done. What comes meanwhile waits for
-- the next walk, together.
CREATE TABLE IF NOT EXISTS device_walk (
  app_id          integer          NOT NULL,
  device_id       text COLLATE "C" NOT NULL,
  after_position  bigint           NOT NULL,   -- in the log: the event it is for came later
  next_after      bigint,                      -- the same of what waits for the next walk; null where nothing does
  turn            bigint           NOT NULL,   -- devices take turns: the least goes first
  notification_id text COLLATE "C" NOT NULL,   -- the last gone through; '' where none was
  occurrence      timestamptz      NOT NULL,   -- of the same
  is_erased       boolean          NOT NULL,   -- rows are written again whether they change or not
  is_surrogate    boolean          NOT NULL,   -- whether device_id was one then: an erasure names notifications otherwise
  PRIMARY KEY (app_id, device_id)
);

-- Notifications that a slice could not update: they are as they were before the change. `notilog projections retry` tries again.
CREATE TABLE IF NOT EXISTS skipped_notification (
  app_id          integer          NOT NULL,
  device_id       text COLLATE "C" NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  occurrence      timestamptz      NOT NULL,
  sqlstate        text COLLATE "C" NOT NULL,   -- of the error
  error           text             NOT NULL,   -- without values
  PRIMARY KEY (app_id, device_id, notification_id, occurrence)
);

-- One row per period of unchanged settings, non-overlapping, newest open.
CREATE OR REPLACE VIEW device_settings_history AS
SELECT app_id, device_id,
  lag(last_at) OVER device AS previous_at,    -- the last snapshot before the period
  first_at, last_at,
  lead(first_at) OVER device AS ended_at,     -- the first snapshot of the next period; null for the newest
  value->>'authorization_status' AS authorization_status,
  value AS settings
FROM device_period
WHERE series = 'settings'
WINDOW device AS (PARTITION BY app_id, device_id ORDER BY first_at, first_id);

-- The newest settings of each device, with the first and last time any were seen.
CREATE OR REPLACE VIEW device_settings AS
SELECT DISTINCT ON (app_id, device_id) app_id, device_id,
  min(first_at) OVER (PARTITION BY app_id, device_id) AS first_seen_at, last_at AS last_seen_at, first_at AS since,
  value->>'authorization_status' AS authorization_status,
  value->>'alert' AS alert, value->>'sound' AS sound, value->>'badge' AS badge,
  value->>'lock_screen' AS lock_screen, value->>'notification_center' AS notification_center,
  value->>'car_play' AS car_play, value->>'critical_alert' AS critical_alert,
  value->>'announcement' AS announcement, value->>'time_sensitive' AS time_sensitive,
  value->>'scheduled_delivery' AS scheduled_delivery, value->>'direct_messages' AS direct_messages,
  value->>'alert_style' AS alert_style, value->>'show_previews' AS show_previews,
  (value->>'provides_app_notification_settings')::boolean AS provides_app_notification_settings,
  value->>'live_activities' AS live_activities
FROM device_period
WHERE series = 'settings'
ORDER BY app_id, device_id, first_at DESC, first_id DESC;
