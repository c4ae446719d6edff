-- oldest service: 39
-- Cells: databases that share the devices of one service, by the lanes that events are of (log.event_lane). The coordinator is the
-- cell that the service is told of: it has the apps, their keys and whatever else is no event, and knows the others. A database
-- that is alone has every lane.

ALTER TABLE log.state
  ADD COLUMN cluster uuid,
  ADD COLUMN cell smallint NOT NULL DEFAULT 0,
  ADD COLUMN lanes smallint[] NOT NULL DEFAULT '{0,1,2,3,4,5,6,7}';
COMMENT ON COLUMN log.state.cluster IS 'The cluster that this database is a cell of; null if it is alone.';
COMMENT ON COLUMN log.state.cell IS 'The number of this cell; the coordinator is 0.';
COMMENT ON COLUMN log.state.lanes IS 'The lanes whose events are here.';

CREATE TABLE notilog.cell (
  cell  smallint   PRIMARY KEY CHECK (cell BETWEEN 0 AND 7),
  url   text       CHECK ((url IS NULL) = (cell = 0)),
  lanes smallint[] NOT NULL
);
COMMENT ON TABLE notilog.cell IS 'In the coordinator: the cells of the cluster. Empty in a database that is alone, and in the other cells.';
COMMENT ON COLUMN notilog.cell.cell IS 'Its number; the coordinator is 0.';
COMMENT ON COLUMN notilog.cell.url IS 'How to connect to it: a URL of libpq. Null for the coordinator.';
COMMENT ON COLUMN notilog.cell.lanes IS 'The lanes whose events it has.';

-- Events of devices of other cells that projections here need: registrations of categories, and what other cells know of tokens that
-- devices here have too. They have positions of this log, and are nobody's events here: no report counts them, no export has them.
CREATE TABLE log.copy (
  LIKE log.event,
  cell smallint NOT NULL,
  PRIMARY KEY (position),
  UNIQUE (app_id, id, device_id)
);
CREATE INDEX copy_device ON log.copy (app_id, device_id);
CREATE INDEX copy_received ON log.copy (received_at);
CREATE INDEX copy_token ON log.copy (app_id, token) WHERE token IS NOT NULL;
CREATE INDEX copy_erasure ON log.copy (position) WHERE kind = 'erasure';
COMMENT ON TABLE log.copy IS 'Events of other cells that projections of this one need; its other columns are those of log.event.';
COMMENT ON COLUMN log.copy.cell IS 'The cell that has the event.';

-- How far this log was copied to the other cells.
CREATE TABLE log.copied (
  cell         smallint PRIMARY KEY,
  position     bigint   NOT NULL DEFAULT 0,
  incarnation  uuid,
  applied      bigint   NOT NULL DEFAULT 0,
  awaited      bigint   NOT NULL DEFAULT 0,
  awaited_here bigint   NOT NULL DEFAULT 0
);
COMMENT ON TABLE log.copied IS 'How far the events of this log that other cells need were copied to each of them.';
COMMENT ON COLUMN log.copied.cell IS 'The cell that they were copied to.';
COMMENT ON COLUMN log.copied.position IS 'Events up to this position of this log were copied.';
COMMENT ON COLUMN log.copied.incarnation IS 'Of the log that they were copied to: another one may lack copies.';
COMMENT ON COLUMN log.copied.applied IS 'Those up to this position are applied there, too.';
COMMENT ON COLUMN log.copied.awaited IS 'The position of that cell''s log that its projections have to reach for that to be true of all.';
COMMENT ON COLUMN log.copied.awaited_here IS 'The position of this log that the projections here have to reach for it, as that cell told of the same tokens.';

-- What an erasure has to do in every cell, as only the device's own one knows it.
ALTER TABLE log.erasure_pending
  ADD COLUMN tokens bytea[] NOT NULL DEFAULT '{}',
  ADD COLUMN names text[] NOT NULL DEFAULT '{}',
  ADD COLUMN is_told boolean NOT NULL DEFAULT true;
COMMENT ON COLUMN log.erasure_pending.tokens IS 'Digests of the device''s own tokens, in a cell of several.';
COMMENT ON COLUMN log.erasure_pending.names IS 'What the device named, such as notifications, in a cell of several.';
COMMENT ON COLUMN log.erasure_pending.is_told IS 'Whether every other cell knows of it; until then no cell goes on by itself.';

-- What asks the other cells, as nobody but the owner may.
CREATE SCHEMA cell;
