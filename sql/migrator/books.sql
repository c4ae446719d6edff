-- The tables of what was applied, kept apart from what the migrations make. The migrator runs this before anything else, so
-- that it can say what is missing. Run again, it changes nothing.
CREATE SCHEMA IF NOT EXISTS migration;

CREATE TABLE IF NOT EXISTS migration.applied (
  version    integer PRIMARY KEY,
  file       text NOT NULL,
  checksum   text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE migration.applied ADD COLUMN IF NOT EXISTS oldest_service integer;

CREATE TABLE IF NOT EXISTS migration.replaceable (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  checksum   text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);
