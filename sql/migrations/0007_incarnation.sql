-- Which log this is, and which ones it was before: a log that is restored from a dump, or goes on on a promoted replica,
-- may lack what some reader has already seen, and draws the positions of those events again.

CREATE TABLE log.incarnation (
  number      integer PRIMARY KEY,   -- counted, as another machine's clock may be behind
  incarnation uuid NOT NULL UNIQUE,
  began_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Up to and including this position the log is the same as that of the incarnations before.
  position    bigint NOT NULL CHECK (position >= 0),
  place       text,           -- where it was noted to be, see log.place()
  reason      text NOT NULL
);

INSERT INTO log.incarnation (number, incarnation, position, reason) SELECT 1, incarnation, 0, 'made' FROM log.state;

-- Where the log was when somebody last looked; null until then.
ALTER TABLE log.state ADD COLUMN place text;
