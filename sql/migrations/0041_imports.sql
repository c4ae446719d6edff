-- oldest service: 39
-- How far other stores were imported into this one, and whether this one was imported into another to the end.

ALTER TABLE log.state ADD COLUMN closed boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN log.state.closed IS 'Whether another store takes over: no event is stored here any more.';

CREATE TABLE notilog.imported (
  source      text    PRIMARY KEY,
  incarnation uuid    NOT NULL,
  position    bigint  NOT NULL,
  conflicts   bigint  NOT NULL,
  finished    boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE notilog.imported IS 'How far the logs of other stores were imported into this database, each of their cells by itself.';
COMMENT ON COLUMN notilog.imported.source IS 'The server and the database that the log is in.';
COMMENT ON COLUMN notilog.imported.incarnation IS 'The incarnation of the log.';
COMMENT ON COLUMN notilog.imported.position IS 'Its events up to this position that belong here are here.';
COMMENT ON COLUMN notilog.imported.conflicts IS 'How many of its events were here under the same id with other content.';
COMMENT ON COLUMN notilog.imported.finished IS 'In the coordinator: whether it has taken over from the store of which this is the coordinator.';
