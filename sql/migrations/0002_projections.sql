-- Versions of projections: the one that serves, those being built beside it, and what each has set aside.

-- One row per group of projections and schema that holds a version of it.
CREATE TABLE projection.version (
  schema_name text NOT NULL,   -- projection: the version that serves; any other: one beside it
  leader      text NOT NULL,   -- the projection that the group's checkpoint is named for
  version_id  bigint GENERATED ALWAYS AS IDENTITY,   -- another one after each swap
  members     text[] NOT NULL,   -- its projections, in the order in which they are applied
  objects     text[] NOT NULL,   -- its tables, views and functions, by name
  tables      text   NOT NULL,   -- SHA-256 of what makes its tables and views
  functions   text   NOT NULL,   -- SHA-256 of what makes its functions
  rows_by     text   NOT NULL,   -- `functions` as it was when the first row was made
  begun_after bigint NOT NULL DEFAULT 0,   -- its first batch began after this position
  position    bigint NOT NULL DEFAULT 0,   -- applied up to here; of the version that serves its checkpoint says so
  target      bigint NOT NULL DEFAULT 0,   -- how far the log was settled at the last batch
  started_at  timestamptz NOT NULL DEFAULT now(),
  updated_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (schema_name, leader)
);

-- Events that a version of a group cannot apply: it goes on without them.
CREATE TABLE projection.set_aside (
  schema_name  text        NOT NULL,
  leader       text        NOT NULL,
  position     bigint      NOT NULL,
  sqlstate     text        NOT NULL,
  error        text        NOT NULL,   -- without values
  attempts     integer     NOT NULL DEFAULT 1,
  set_aside_at timestamptz NOT NULL DEFAULT now(),
  tried_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (schema_name, leader, position)
);
