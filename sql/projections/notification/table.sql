-- One row per notification: (app, device, notification_id or else request_identifier, occurrence). A function of: the
-- events of the notification, its schedule, the device's periods of context and settings, whether the device ever sent
-- a delivery from a service extension, and the registered categories.
--
-- `occurrence` is -infinity where there is none. A request that repeats is a schedule: the row with occurrence
-- infinity, which is no notification, has no cohort_at, and gives its attributes to every firing.
CREATE TABLE IF NOT EXISTS notification (
  app_id          integer          NOT NULL,
  device_id       text COLLATE "C" NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  occurrence      timestamptz      NOT NULL,

  -- Facts: what the events say. Each merges with what a later batch says, in any order (earliest, any, sum, first by
  -- claim), so that a row is never computed from the log again.
  requests            integer NOT NULL,
  duplicate_callbacks integer NOT NULL,
  requested_at        timestamptz,   -- earliest request
  scheduled_for       timestamptz,   -- earliest scheduled_for, shifted with its event's clock
  delivered_at        timestamptz,   -- earliest UNNotification.date, shifted likewise
  delivery_at         timestamptz,   -- earliest delivery
  presentation_at     timestamptz,   -- earliest presentation, showing or not
  responded_at        timestamptz,
  dismissed_at        timestamptz,
  withdrawn_at        timestamptz,   -- earliest removal of the pending request, replacement aside
  removed_at          timestamptz,   -- earliest removal by the app of the delivered notification, replacement aside
  gone_at             timestamptz,   -- earliest sweep of the delivered list that missed it
  request_received_at timestamptz,   -- when the server received the first of its requests
  cohort_at           timestamptz,   -- derived: when it is counted; null for a schedule
  shown_at            timestamptz,   -- derived
  is_push             boolean NOT NULL,
  add_succeeded       boolean NOT NULL,   -- a request without error
  add_failed          boolean NOT NULL,   -- a request with error
  push_answered       boolean NOT NULL,
  push_accepted       boolean NOT NULL,   -- answered with 200
  showed              boolean NOT NULL,   -- a presentation that shows something
  hid                 boolean NOT NULL,   -- a foreground presentation that shows nothing
  sounded             boolean NOT NULL,   -- one of those had badge or sound
  filtered            boolean NOT NULL,   -- by the service extension
  mutable_content     boolean NOT NULL,
  due_known           boolean NOT NULL,   -- a request without error that says when it fires: not by location, nor at an unknown date
  witnessed           boolean NOT NULL,   -- a presentation, or a delivery other than that the app was woken in the background

  -- Derived: stages, and the device as it was at cohort_at.
  requested           boolean NOT NULL,
  failed              boolean NOT NULL,
  delivered           boolean NOT NULL,
  presented           boolean NOT NULL,
  suppressed          boolean NOT NULL,
  silent              boolean NOT NULL,
  responded           boolean NOT NULL,
  dismissed           boolean NOT NULL,
  withdrawn           boolean NOT NULL,
  response_only       boolean NOT NULL,
  reached_seen        boolean NOT NULL,   -- seen on the device; it counts as reached from cohort_at on
  reached_assumed     boolean NOT NULL,
  reach_unknown       boolean NOT NULL,   -- it would be reached_assumed if anybody knew that it fired
  opened              boolean NOT NULL,
  acted               boolean NOT NULL,
  replied             boolean NOT NULL,
  app_opened          boolean NOT NULL,
  dismiss_observable  boolean NOT NULL,
  delivery_observable boolean NOT NULL,
  alerting            boolean NOT NULL,   -- true where no event says otherwise
  action_id           text COLLATE "C",   -- of the first response
  category            text COLLATE "C",   -- the one that the person saw
  requested_category  text COLLATE "C",
  trigger             text COLLATE "C",
  interruption_level  text COLLATE "C",
  campaign            text COLLATE "C",
  variant             text COLLATE "C",
  thread              text COLLATE "C",
  platform            text COLLATE "C",
  os_version          text COLLATE "C",
  app_version         text COLLATE "C",
  locale              text COLLATE "C",
  time_zone           text COLLATE "C",
  settings            integer NOT NULL,   -- the device's settings in force at cohort_at, packed: reporting.setting(settings, 'alert_style')
  attributes          jsonb,              -- values of the app's own dimensions, by key, each a string; null where there is none
  facts               bytea NOT NULL,     -- packed, for the fold alone: which events the names come from
  PRIMARY KEY (app_id, device_id, notification_id, occurrence)
) WITH (fillfactor = 85);
CREATE INDEX IF NOT EXISTS notification_cohort ON notification (app_id, cohort_at)
  WHERE cohort_at IS NOT NULL;   -- so that no plan made while the table is empty takes it for a look-up by key
CREATE INDEX IF NOT EXISTS notification_schedule ON notification (app_id, device_id, notification_id)
  WHERE occurrence = 'infinity';
-- What reached one device in a stretch of time, for opt_outs; those that failed, for funnel.
CREATE INDEX IF NOT EXISTS notification_device ON notification (app_id, device_id, cohort_at)
  WHERE cohort_at IS NOT NULL;   -- as above
CREATE INDEX IF NOT EXISTS notification_failed ON notification (app_id, cohort_at) WHERE failed;
-- Those shown a day or more after their cohort, for response_times; it finds all others by cohort_at.
CREATE INDEX IF NOT EXISTS notification_late ON notification (app_id, shown_at)
  WHERE shown_at - cohort_at >= interval '24 hours';

-- Each distinct action taken on a notification.
CREATE TABLE IF NOT EXISTS notification_action (
  app_id          integer          NOT NULL,
  device_id       text COLLATE "C" NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  occurrence      timestamptz      NOT NULL,
  action_id       text COLLATE "C" NOT NULL,
  first_at        timestamptz      NOT NULL,
  in_extension    integer          NOT NULL,   -- callbacks to a content extension, each a press of its own
  callbacks       integer          NOT NULL,   -- the other callbacks, of which one is no duplicate
  has_text        boolean          NOT NULL,   -- it carried the person's text (UNTextInputNotificationResponse)
  callback_received_at timestamptz,            -- when the server received the first of `callbacks`
  PRIMARY KEY (app_id, device_id, notification_id, occurrence, action_id)
);

-- Devices that ever sent a delivery from a service extension.
CREATE TABLE IF NOT EXISTS device_extension (
  app_id    integer          NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (app_id, device_id)
);

-- Pushes to Live Activities that their provider accepted.
CREATE TABLE IF NOT EXISTS live_activity_accepted (
  app_id          integer          NOT NULL,
  device_id       text COLLATE "C" NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  occurrence      timestamptz      NOT NULL,
  PRIMARY KEY (app_id, device_id, notification_id, occurrence)
);
