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
  response_only   boolean,
  PRIMARY KEY (app_id, device_id, notification_id, occurrence, reason)
) WITH (fillfactor = 85);
CREATE INDEX IF NOT EXISTS cohort_removal_cohort ON cohort_removal (app_id, cohort_at) WHERE cohort_at IS NOT NULL;

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
CREATE INDEX IF NOT EXISTS cohort_extension_cohort ON cohort_extension (app_id, cohort_at) WHERE cohort_at IS NOT NULL;

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
CREATE INDEX IF NOT EXISTS cohort_action_cohort ON cohort_action (app_id, cohort_at) WHERE cohort_at IS NOT NULL;

-- Rollups of these: counted by the day (of UTC) of the notification's cohort, with '' for null. At 0 a row goes. Each lane counts in rows
-- of its own: add them up.

-- Runs of service extensions, for the report extensions. `within` is, as in cohort_zone, that of the first response.
CREATE TABLE IF NOT EXISTS cohort_extension_count (
  app_id             integer          NOT NULL,
  bucket             timestamptz      NOT NULL,
  app_version        text COLLATE "C" NOT NULL,
  outcome            text COLLATE "C" NOT NULL,   -- as in notification_extension
  reached            boolean          NOT NULL,
  within             smallint         NOT NULL,
  runs               bigint           NOT NULL,   -- of service extensions
  attachments_loaded bigint           NOT NULL,
  loaded_runs        bigint           NOT NULL,   -- runs that said how many were loaded
  attachments_failed bigint           NOT NULL,
  failed_runs        bigint           NOT NULL,   -- the same of those that failed
  lane               smallint         NOT NULL DEFAULT 0,
  PRIMARY KEY (app_id, bucket, app_version, outcome, reached, within, lane)
) WITH (fillfactor = 70);

-- Those that said how long they took.
CREATE TABLE IF NOT EXISTS cohort_extension_duration (
  app_id      integer          NOT NULL,
  bucket      timestamptz      NOT NULL,
  app_version text COLLATE "C" NOT NULL,
  duration_ms integer          NOT NULL,
  runs        bigint           NOT NULL,   -- that took so long
  lane        smallint         NOT NULL DEFAULT 0,
  PRIMARY KEY (app_id, bucket, app_version, duration_ms, lane)
) WITH (fillfactor = 70);

-- Notifications by the action taken, for the report actions. `within` is, as in cohort_zone, that of the first press.
CREATE TABLE IF NOT EXISTS cohort_action_count (
  app_id        integer          NOT NULL,
  bucket        timestamptz      NOT NULL,
  category      text COLLATE "C" NOT NULL,
  action_id     text COLLATE "C" NOT NULL,
  is_dismissal  boolean          NOT NULL,
  app_version   text COLLATE "C" NOT NULL,
  counts        boolean          NOT NULL,   -- as in cohort_action
  response_only boolean          NOT NULL,
  within        smallint         NOT NULL,
  notifications bigint           NOT NULL,
  presses       bigint           NOT NULL,
  lane          smallint         NOT NULL DEFAULT 0,
  PRIMARY KEY (app_id, bucket, category, action_id, is_dismissal, app_version, counts, response_only, within, lane)
) WITH (fillfactor = 70);

-- Those of which it is known when they were shown, but for those known only by a response.
CREATE TABLE IF NOT EXISTS cohort_action_latency (
  app_id        integer          NOT NULL,
  bucket        timestamptz      NOT NULL,
  category      text COLLATE "C" NOT NULL,
  action_id     text COLLATE "C" NOT NULL,
  is_dismissal  boolean          NOT NULL,
  latency       integer          NOT NULL,   -- projection.latency_bucket from shown_at to the first press
  notifications bigint           NOT NULL,
  lane          smallint         NOT NULL DEFAULT 0,
  PRIMARY KEY (app_id, bucket, category, action_id, is_dismissal, latency, lane)
) WITH (fillfactor = 70);

-- Notifications by the reason of their removal, for the report removals.
CREATE TABLE IF NOT EXISTS cohort_removal_count (
  app_id        integer          NOT NULL,
  bucket        timestamptz      NOT NULL,
  category      text COLLATE "C" NOT NULL,
  reason        text COLLATE "C" NOT NULL,   -- as in notification_removal
  pending       boolean          NOT NULL,   -- removed while pending
  delivered     boolean          NOT NULL,
  unstated      boolean          NOT NULL,   -- removed from an unknown list
  withdrawn     boolean          NOT NULL,   -- of `pending`
  responded     boolean          NOT NULL,
  response_only boolean          NOT NULL,
  latency       integer          NOT NULL,   -- projection.latency_bucket from shown_at to its removal once delivered; -1 if unknown
  notifications bigint           NOT NULL,
  lane          smallint         NOT NULL DEFAULT 0,
  PRIMARY KEY (
    app_id, bucket, category, reason, pending, delivered, unstated, withdrawn, responded, response_only, latency, lane)
) WITH (fillfactor = 70);
