-- Which devices notifications reached, and which responded, by day and category. A function of: the table notification.
--
-- Distinct devices cannot be added up from day to day. But those of any stretch of whole days can be counted without
-- looking at a device: they are those present on one of its days whose day of presence before that lies before the
-- stretch. So presence is counted by the pair of the two days, which adds up, and is exact.
CREATE TABLE IF NOT EXISTS presence (
  app_id        integer          NOT NULL,
  device_id     text COLLATE "C" NOT NULL,
  category      text COLLATE "C" NOT NULL,   -- '' for null
  what          text COLLATE "C" NOT NULL,   -- reached or responded
  day           timestamptz      NOT NULL,   -- UTC day that cohort_at lies in
  notifications integer          NOT NULL,   -- of that day; at 0 the row goes
  previous_day  timestamptz      NOT NULL,   -- of the device's row before this one; -infinity for its first
  PRIMARY KEY (app_id, device_id, category, what, day)
) WITH (fillfactor = 85);

-- The same counted: devices by their day of presence and the one before it.
CREATE TABLE IF NOT EXISTS presence_count (
  app_id       integer          NOT NULL,
  day          timestamptz      NOT NULL,
  what         text COLLATE "C" NOT NULL,
  category     text COLLATE "C" NOT NULL,
  previous_day timestamptz      NOT NULL,
  devices      bigint           NOT NULL,   -- rows of presence; at 0 the row goes
  lane         smallint         NOT NULL DEFAULT 0,   -- each lane counts in rows of its own
  PRIMARY KEY (app_id, day, what, category, previous_day, lane)
) WITH (fillfactor = 70);
