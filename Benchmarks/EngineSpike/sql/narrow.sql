-- The tables of the second and third arm: what analysts read as typed columns, stages as bits of one number, what only the
-- engine reads in one string of bytes; two indexes and a small one; room in each page, so that an update stays in it.
CREATE TABLE notification (
  app_id              integer          NOT NULL,
  duplicate_callbacks integer          NOT NULL,
  stages              integer          NOT NULL,   -- derived, a bit each: NotificationRow.Stages
  requests            integer          NOT NULL,
  said                integer          NOT NULL,   -- what events say, a bit each: NotificationFacts.Flags
  occurrence          timestamptz      NOT NULL,
  cohort_at           timestamptz,
  shown_at            timestamptz,
  requested_at        timestamptz,
  scheduled_for       timestamptz,
  delivered_at        timestamptz,
  delivery_at         timestamptz,
  presentation_at     timestamptz,
  responded_at        timestamptz,
  dismissed_at        timestamptz,
  withdrawn_at        timestamptz,
  device_id           text COLLATE "C" NOT NULL,
  notification_id     text COLLATE "C" NOT NULL,
  action_id           text COLLATE "C",
  category            text COLLATE "C",
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
  facts               bytea NOT NULL,
  PRIMARY KEY (app_id, device_id, notification_id, occurrence)
) WITH (fillfactor = 80);
-- Partial, so that no plan made while the table is empty takes it for a look-up by key.
CREATE INDEX notification_cohort ON notification (app_id, cohort_at) WHERE cohort_at IS NOT NULL;
CREATE INDEX notification_schedule ON notification (app_id, device_id, notification_id) WHERE occurrence = 'infinity';

CREATE TABLE notification_action (LIKE projection.notification_action INCLUDING ALL);
CREATE TABLE device_extension (LIKE projection.device_extension INCLUDING ALL);
CREATE TABLE device_period (LIKE projection.device_period INCLUDING ALL) WITH (fillfactor = 80);
CREATE TABLE category (LIKE projection.category INCLUDING ALL);
CREATE TABLE category_walk (LIKE projection.category_walk INCLUDING ALL);
CREATE TABLE category_change (LIKE projection.category_change INCLUDING ALL);
CREATE TABLE engagement (LIKE projection.engagement INCLUDING ALL) WITH (fillfactor = 70);
CREATE TABLE engagement_latency (LIKE projection.engagement_latency INCLUDING ALL) WITH (fillfactor = 70);

-- The columns of today's table that reports, exports and other projections read, but times that no one else does.
CREATE VIEW notification_wide AS
SELECT app_id, device_id, notification_id, occurrence, requested_at, scheduled_for, delivered_at, delivery_at, presentation_at,
  responded_at, dismissed_at, withdrawn_at, requests, said & 1 <> 0 AS is_push, said & 2 <> 0 AS add_succeeded, said & 4 <> 0 AS add_failed,
  said & 8 <> 0 AS push_answered, said & 16 <> 0 AS push_accepted, said & 32 <> 0 AS showed, said & 64 <> 0 AS hid,
  said & 128 <> 0 AS sounded, said & 256 <> 0 AS filtered, said & 512 <> 0 AS mutable_content, said & 1024 <> 0 AS due_known,
  said & 2048 <> 0 AS witnessed, cohort_at, shown_at, stages & 1 <> 0 AS requested, stages & 2 <> 0 AS failed,
  stages & 4 <> 0 AS delivered, stages & 8 <> 0 AS presented, stages & 16 <> 0 AS suppressed, stages & 32 <> 0 AS silent,
  stages & 64 <> 0 AS responded, stages & 128 <> 0 AS dismissed, stages & 256 <> 0 AS withdrawn, stages & 512 <> 0 AS response_only,
  stages & 1024 <> 0 AS reached_seen, stages & 2048 <> 0 AS reached_assumed, stages & 4096 <> 0 AS reach_unknown,
  stages & 8192 <> 0 AS opened, stages & 16384 <> 0 AS acted, stages & 32768 <> 0 AS replied, stages & 65536 <> 0 AS app_opened,
  stages & 131072 <> 0 AS dismiss_observable, stages & 262144 <> 0 AS delivery_observable, duplicate_callbacks, action_id, category,
  requested_category, trigger, interruption_level, campaign, variant, thread, platform, os_version, app_version, locale, time_zone
FROM notification;
