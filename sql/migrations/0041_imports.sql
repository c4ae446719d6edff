-- oldest service: 39
-- How far other stores were imported into this one, and whether this one was imported into another to the end.

ALTER TABLE log.state ADD COLUMN closed boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN log.state.closed IS 'Whether another store took over: no event is stored here any more.';

CREATE TABLE notilog.imported (
  place       text   NOT NULL,
  incarnation uuid   NOT NULL,
  position    bigint NOT NULL,
  PRIMARY KEY (place, incarnation)
);
COMMENT ON TABLE notilog.imported IS 'How far the logs of other stores were imported, each of their cells by itself.';
COMMENT ON COLUMN notilog.imported.place IS 'The server and database of the log that was imported, see log.place.';
COMMENT ON COLUMN notilog.imported.incarnation IS 'Its incarnation.';
COMMENT ON COLUMN notilog.imported.position IS 'Its events up to this position are here.';
