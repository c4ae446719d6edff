-- Retention: how far back the log reaches, the partitions that were dropped, and the baseline, the projection of what
-- they held, from which a rebuild begins.

-- Nothing that was received or happened before this is in the log, nor taken any more: the identities of that time are
-- gone, so a repeat could not be told.
ALTER TABLE log.state ADD COLUMN floor timestamptz NOT NULL DEFAULT '-infinity';

-- Each partition that retention has begun to drop.
CREATE TABLE log.dropped_partition (
  name          text PRIMARY KEY,
  from_at       timestamptz NOT NULL,
  to_at         timestamptz NOT NULL,
  last_position bigint      NOT NULL,            -- the highest in it; 0 where it was empty
  runs_kept     boolean     NOT NULL DEFAULT false,   -- baseline.kept_run holds what it knows of devices
  cut_position  bigint      NOT NULL DEFAULT 0,  -- identities are cut up to this position
  events        bigint      NOT NULL DEFAULT 0,  -- that it held, as far as cut_position
  begun_at      timestamptz NOT NULL DEFAULT now(),
  dropped_at    timestamptz                      -- null while retention is at it
);

-- Identities of dropped events that a repeat could still pass the floor with, as their clock was ahead.
CREATE TABLE log.early_identity (
  id          uuid        NOT NULL,
  device_hash bigint      NOT NULL,
  app_id      integer     NOT NULL,
  occurred_at timestamptz NOT NULL,
  PRIMARY KEY (id, device_hash, app_id)
);

-- The same tables as in schema projection, made by the same files.
CREATE SCHEMA baseline;

-- What the baseline of each group of projections holds: the events received before `floor`, and of those received before
-- `next_floor` the ones up to `position`.
CREATE TABLE baseline.checkpoint (
  name       text PRIMARY KEY,
  floor      timestamptz NOT NULL DEFAULT '-infinity',
  next_floor timestamptz NOT NULL DEFAULT '-infinity',
  position   bigint      NOT NULL DEFAULT 0
);

-- The same of each version of a group that began from the baseline, as it was then.
CREATE TABLE baseline.begun (
  schema_name text        NOT NULL,   -- that holds the version
  leader      text        NOT NULL,
  floor       timestamptz NOT NULL,
  next_floor  timestamptz NOT NULL,
  position    bigint      NOT NULL,
  PRIMARY KEY (schema_name, leader)
);

-- The snapshots of a device that dropped events held, as runs of one value such that no other snapshot that is known, or
-- that may still come, lies within a run. Unlike the periods of the projection they can be merged with any other.
CREATE TABLE baseline.kept_run (
  app_id    integer          NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  series    text COLLATE "C" NOT NULL,   -- context or settings
  first_at  timestamptz      NOT NULL,
  first_id  uuid             NOT NULL,
  last_at   timestamptz      NOT NULL,
  last_id   uuid             NOT NULL,
  value     jsonb            NOT NULL,
  PRIMARY KEY (app_id, device_id, series, first_at, first_id)
);
