-- Exports: what there is to export, the numbers under which its rows were given out, and the cursors of those who read.
-- oldest service: 7

CREATE SCHEMA export;

-- The datasets, as the files of sql/exports declare them with export.declare().
CREATE TABLE export.dataset (
  name        text PRIMARY KEY,
  keys        text[]  NOT NULL,   -- the columns by which a row is known again; none: the log itself, known by position
  projections text[]  NOT NULL,   -- the checkpoints behind which its rows stand
  touched     text,               -- the function that knows whose rows events may have changed; null: any
  zeros       boolean NOT NULL    -- a row that is gone is given out with zeros, not as a tombstone
);

-- How far the rows of a dataset have been compared with what was given out. Row by row that is in export.<dataset>_row.
CREATE TABLE export.feed (
  app_id   integer NOT NULL,
  dataset  text    NOT NULL,
  change   bigint  NOT NULL DEFAULT 0,   -- the last change number given
  position bigint  NOT NULL DEFAULT 0,   -- of the projections, when the rows were compared
  settled  bigint  NOT NULL DEFAULT 0,   -- of the log: erasures up to here have their tombstones
  basis    text    NOT NULL DEFAULT '',  -- what the rows depend on beside events, see export.basis()
  PRIMARY KEY (app_id, dataset)
);

-- Rows that must go wherever they were copied to, as their device was erased.
CREATE TABLE export.tombstone (
  app_id  integer NOT NULL,
  dataset text    NOT NULL,
  change  bigint  NOT NULL,
  row_id  uuid    NOT NULL,
  PRIMARY KEY (app_id, dataset, change)
);

-- Named cursors: how far somebody has been given a dataset. Numbers are positions of the log for events, else changes.
CREATE TABLE export.cursor (
  name        text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
  cursor_id   uuid        NOT NULL DEFAULT gen_random_uuid(),   -- another one after a reset: its files begin anew
  app_id      integer     NOT NULL,
  dataset     text        NOT NULL,
  incarnation uuid        NOT NULL,             -- of the log that `done` is a number of
  done        bigint      NOT NULL DEFAULT 0,   -- delivered up to here
  created_at  timestamptz NOT NULL DEFAULT now(),
  updated_at  timestamptz NOT NULL DEFAULT now(),

  -- A run that was begun and has not been seen to end: whoever comes next does the same.
  run_to      bigint,
  run_file    text,
  run_format  text CHECK (run_format IN ('ndjson', 'csv')),
  run_gzip    boolean,
  run_at      timestamptz,
  CHECK (num_nulls(run_to, run_file, run_format, run_gzip, run_at) IN (0, 5)),
  CHECK (run_to > done)
);
