-- Notifications counted by cohort and by what single reports tell them apart by. A function of: the table notification.
-- The reports add these up where whole buckets lie in their range, and read notification at the edges.
--
-- `within` is the least of the windows that reports answer exactly (reporting.window_slot) that a response came in: 1 to 6, 7
-- where it came later, 0 where none came.

-- For heatmap: those that were reached.
CREATE TABLE IF NOT EXISTS cohort_zone (
  app_id        integer          NOT NULL,
  bucket        timestamptz      NOT NULL,   -- start of the quarter hour that cohort_at lies in: no zone is off by less
  time_zone     text COLLATE "C" NOT NULL,   -- the device's; '' for null
  within        smallint         NOT NULL,
  notifications bigint           NOT NULL,   -- at 0 the row goes, as in the other tables
  lane          smallint         NOT NULL DEFAULT 0,   -- each lane counts in rows of its own, as in the other tables
  PRIMARY KEY (app_id, bucket, time_zone, within, lane)
) WITH (fillfactor = 70);

-- For funnel: all.
CREATE TABLE IF NOT EXISTS cohort_stage (
  app_id        integer     NOT NULL,
  bucket        timestamptz NOT NULL,   -- start of the hour that cohort_at lies in
  stages        integer     NOT NULL,   -- projection.stage_bits
  within        smallint    NOT NULL,
  notifications bigint      NOT NULL,
  lane          smallint    NOT NULL DEFAULT 0,
  PRIMARY KEY (app_id, bucket, stages, within, lane)
) WITH (fillfactor = 70);

-- For reachability: those alerting that were requested, by how the settings in force let them reach people.
CREATE TABLE IF NOT EXISTS cohort_reach (
  app_id        integer          NOT NULL,
  bucket        timestamptz      NOT NULL,   -- start of the UTC day that cohort_at lies in
  category      text COLLATE "C" NOT NULL,   -- '' for null
  class         text COLLATE "C" NOT NULL,   -- reporting.reach_class as if no token had ended: that is found out later
  notifications bigint           NOT NULL,
  reached       bigint           NOT NULL,   -- of them
  within_1h     bigint           NOT NULL,   -- of `reached`, responded to within the hour, and so on
  within_6h     bigint           NOT NULL,
  within_1d     bigint           NOT NULL,
  within_3d     bigint           NOT NULL,
  within_7d     bigint           NOT NULL,
  within_30d    bigint           NOT NULL,
  lane          smallint         NOT NULL DEFAULT 0,
  PRIMARY KEY (app_id, bucket, category, class, lane)
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
  lane          smallint         NOT NULL DEFAULT 0,
  PRIMARY KEY (app_id, bucket, shown_day, category, outcome, latency, lane)
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
CREATE INDEX IF NOT EXISTS device_week_week ON device_week (app_id, week, device_id);   -- the device too: it also serves look-ups by key

-- For experiment: what a device got of a variant on a day (of UTC, as all days here), and what it made of that. Without those
-- known only by a response.
CREATE TABLE IF NOT EXISTS variant_day (
  app_id        integer          NOT NULL,
  device_id     text COLLATE "C" NOT NULL,
  category      text COLLATE "C" NOT NULL,   -- '' for null
  campaign      text COLLATE "C" NOT NULL,   -- the same
  variant       text COLLATE "C" NOT NULL,
  day           timestamptz      NOT NULL,
  notifications bigint           NOT NULL,   -- reached or not; at 0 the row goes
  reached       bigint           NOT NULL,
  within_1h     bigint           NOT NULL,   -- of `reached`, responded to within the hour, and so on
  within_6h     bigint           NOT NULL,
  within_1d     bigint           NOT NULL,
  within_3d     bigint           NOT NULL,
  within_7d     bigint           NOT NULL,
  within_30d    bigint           NOT NULL,
  PRIMARY KEY (app_id, device_id, category, campaign, variant, day)
) WITH (fillfactor = 85);

-- The devices that got several variants of a category and campaign. A function of: the table variant_day.
CREATE TABLE IF NOT EXISTS variant_crossed (
  app_id    integer          NOT NULL,
  category  text COLLATE "C" NOT NULL,
  campaign  text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (app_id, category, campaign, device_id)
);

-- What its rows come to, by variant and pair of days: sums over devices, which add up over days. A function of: the table
-- variant_day.
--
-- A row with other_day = -infinity has what concerns the day alone. Products are those of a device's figures of the two days,
-- once where the two are one and twice where they are not, so that they add up to the square of its sum over a range; of days
-- no more than 92 days apart.
CREATE TABLE IF NOT EXISTS variant_pair (
  app_id             integer          NOT NULL,
  category           text COLLATE "C" NOT NULL,
  campaign           text COLLATE "C" NOT NULL,
  variant            text COLLATE "C" NOT NULL,
  day                timestamptz      NOT NULL,
  other_day          timestamptz      NOT NULL,   -- not later than day
  entries            bigint           NOT NULL,   -- that add to the row; at 0 it goes
  devices            bigint           NOT NULL,   -- with notifications on the day, and before that last on the other day
  reached_devices    bigint           NOT NULL,   -- the same of notifications reached
  reached            bigint           NOT NULL,   -- on the day alone
  within_1h          bigint           NOT NULL,
  within_6h          bigint           NOT NULL,
  within_1d          bigint           NOT NULL,
  within_3d          bigint           NOT NULL,
  within_7d          bigint           NOT NULL,
  within_30d         bigint           NOT NULL,
  reached_reached    bigint           NOT NULL,   -- products: of reached and itself
  reached_within_1h  bigint           NOT NULL,   -- of reached and within_1h
  reached_within_6h  bigint           NOT NULL,   -- of reached and within_6h
  reached_within_1d  bigint           NOT NULL,   -- of reached and within_1d
  reached_within_3d  bigint           NOT NULL,   -- of reached and within_3d
  reached_within_7d  bigint           NOT NULL,   -- of reached and within_7d
  reached_within_30d bigint           NOT NULL,   -- of reached and within_30d
  within_within_1h   bigint           NOT NULL,   -- of within_1h and itself
  within_within_6h   bigint           NOT NULL,   -- of within_6h and itself
  within_within_1d   bigint           NOT NULL,   -- of within_1d and itself
  within_within_3d   bigint           NOT NULL,   -- of within_3d and itself
  within_within_7d   bigint           NOT NULL,   -- of within_7d and itself
  within_within_30d  bigint           NOT NULL,   -- of within_30d and itself
  lane               smallint         NOT NULL DEFAULT 0,
  PRIMARY KEY (app_id, day, category, campaign, variant, other_day, lane)
) WITH (fillfactor = 70);

-- For opt_outs, frequency and campaigns: settings that people turned down, as seen by two snapshots, with the notifications that
-- reached the device in between, any of which may be why. A function of: the tables device_period and notification.
--
-- The arrays have an element for each of those notifications, in the order of all three.
CREATE TABLE IF NOT EXISTS setting_change (
  app_id       integer          NOT NULL,
  device_id    text COLLATE "C" NOT NULL,
  setting      text COLLATE "C" NOT NULL,   -- of projection.turned_down_settings
  changed_at   timestamptz      NOT NULL,   -- the first snapshot that had it turned down
  changed_id   uuid             NOT NULL,   -- of the same
  unchanged_at timestamptz      NOT NULL,   -- the last snapshot before that told, and did not have it turned down
  cohort_ats   timestamptz[]    NOT NULL,   -- after unchanged_at and not after changed_at
  categories   text[]           NOT NULL,   -- '' for null
  campaigns    text[]           NOT NULL,   -- the same
  PRIMARY KEY (app_id, device_id, setting, changed_at, changed_id)
);
CREATE INDEX IF NOT EXISTS setting_change_changed ON setting_change (app_id, changed_at);

-- Devices with too many settings or too many such notifications to keep: reports look for their changes when asked.
CREATE TABLE IF NOT EXISTS setting_excess (
  app_id    integer          NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (app_id, device_id)
);
