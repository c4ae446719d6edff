-- Actions on notifications, their removals and the runs of service extensions, each with what reports ask of its
-- notification, so that they are found by its cohort and without it. A function of: the table notification, removal events,
-- deliveries from service extensions, action responses.
--
-- What is about no notification of its own (a schedule's removal) stands without a cohort_at.

-- Notifications taken back or gone, once per reason.
CREATE TABLE IF NOT EXISTS cohort_removal (
  app_id          integer          NOT NULL,
  device_id       text COLLATE "C" NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  occurrence      timestamptz      NOT NULL,
  reason          text COLLATE "C" NOT NULL,   -- as in notification_removal
  pending_at      timestamptz,                 -- the earliest of a pending one, of a delivered one, and without word of which
  delivered_at    timestamptz,
  unstated_at     timestamptz,
  cohort_at       timestamptz,                 -- of the notification, as what follows
  shown_at        timestamptz,
  category        text COLLATE "C",
  responded       boolean,
  withdrawn       boolean,
  PRIMARY KEY (app_id, device_id, notification_id, occurrence, reason)
) WITH (fillfactor = 85);
CREATE INDEX IF NOT EXISTS cohort_removal_cohort ON cohort_removal (app_id, cohort_at);

-- Runs of service extensions.
CREATE TABLE IF NOT EXISTS cohort_extension (
  app_id             integer          NOT NULL,
  device_id          text COLLATE "C" NOT NULL,
  notification_id    text COLLATE "C" NOT NULL,
  occurrence         timestamptz      NOT NULL,
  at                 timestamptz      NOT NULL,
  id                 uuid             NOT NULL,
  outcome            text COLLATE "C",   -- as in notification_extension
  duration_ms        integer,
  attachments_loaded integer,
  attachments_failed integer,
  cohort_at          timestamptz,        -- of the notification, as what follows
  app_version        text COLLATE "C",
  reached            boolean,
  latency            interval,           -- from shown_at, else cohort_at, to the first response
  PRIMARY KEY (app_id, device_id, notification_id, occurrence, at, id)
) WITH (fillfactor = 85);
CREATE INDEX IF NOT EXISTS cohort_extension_cohort ON cohort_extension (app_id, cohort_at);

-- Distinct actions on notifications, dismissals among them.
CREATE TABLE IF NOT EXISTS cohort_action (
  app_id          integer          NOT NULL,
  device_id       text COLLATE "C" NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  occurrence      timestamptz      NOT NULL,
  action_id       text COLLATE "C" NOT NULL,   -- 'dismiss' of a dismissal
  is_dismissal    boolean          NOT NULL,
  first_at        timestamptz      NOT NULL,
  presses         integer          NOT NULL,
  cohort_at       timestamptz,                 -- of the notification, as what follows
  shown_at        timestamptz,
  category        text COLLATE "C",
  app_version     text COLLATE "C",
  counts          boolean,                     -- reached; of a dismissal: dismiss_observable
  response_only   boolean,
  PRIMARY KEY (app_id, device_id, notification_id, occurrence, action_id, is_dismissal)
) WITH (fillfactor = 85);
CREATE INDEX IF NOT EXISTS cohort_action_cohort ON cohort_action (app_id, cohort_at);
