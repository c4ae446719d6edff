-- Notifications counted by cohort and by what single reports tell them apart by. A function of: the table notification.
-- The reports add these up where whole buckets lie in their range, and read notification at the edges.
--
-- `within` is projection.response_window: which of the windows that reports answer exactly a response came in.

-- For heatmap: those that were reached.
CREATE TABLE IF NOT EXISTS cohort_zone (
  app_id        integer          NOT NULL,
  bucket        timestamptz      NOT NULL,   -- start of the quarter hour that cohort_at lies in: no zone is off by less
  time_zone     text COLLATE "C" NOT NULL,   -- the device's; '' for null
  within        smallint         NOT NULL,
  notifications bigint           NOT NULL,   -- at 0 the row goes, as in the other tables
  PRIMARY KEY (app_id, bucket, time_zone, within)
) WITH (fillfactor = 70);

-- For funnel: all.
CREATE TABLE IF NOT EXISTS cohort_stage (
  app_id        integer     NOT NULL,
  bucket        timestamptz NOT NULL,   -- start of the hour that cohort_at lies in
  stages        integer     NOT NULL,   -- projection.stage_bits
  within        smallint    NOT NULL,
  notifications bigint      NOT NULL,
  PRIMARY KEY (app_id, bucket, stages, within)
) WITH (fillfactor = 70);

-- For response_times: those that were reached and of which it is known when they were shown, by what ended them first.
CREATE TABLE IF NOT EXISTS cohort_outcome (
  app_id        integer          NOT NULL,
  bucket        timestamptz      NOT NULL,   -- start of the UTC day that cohort_at lies in
  shown_day     timestamptz      NOT NULL,   -- start of the UTC day that shown_at lies in
  category      text COLLATE "C" NOT NULL,   -- '' for null
  outcome       text COLLATE "C" NOT NULL,   -- opened, acted, replied, dismissed, withdrawn or gone; '' where none is known
  latency       integer          NOT NULL,   -- from shown_at to the outcome, by projection.outcome_bounds; 0 without one
  notifications bigint           NOT NULL,
  dismiss_observable bigint      NOT NULL,   -- of them
  PRIMARY KEY (app_id, bucket, shown_day, category, outcome, latency)
) WITH (fillfactor = 70);

-- For frequency: those that reached a device in a week, from Monday in UTC.
CREATE TABLE IF NOT EXISTS device_week (
  app_id     integer          NOT NULL,
  device_id  text COLLATE "C" NOT NULL,
  week       timestamptz      NOT NULL,
  reached    integer          NOT NULL,
  within_1h  integer          NOT NULL,   -- of them, responded to within the hour, and so on
  within_6h  integer          NOT NULL,
  within_1d  integer          NOT NULL,
  within_3d  integer          NOT NULL,
  within_7d  integer          NOT NULL,
  within_30d integer          NOT NULL,
  PRIMARY KEY (app_id, device_id, week)
) WITH (fillfactor = 70);
CREATE INDEX IF NOT EXISTS device_week_week ON device_week (app_id, week);
