-- Which log this is, and which ones it was before: a log that is restored from a dump, or goes on on a promoted replica,
-- may lack what some reader has already seen, and draws the positions of those events again.

CREATE TABLE log.incarnation (
  incarnation uuid PRIMARY KEY,
  began_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Up to and including this position the log is the same as that of the incarnations before.
  position    bigint NOT NULL CHECK (position >= 0),
  place       text,           -- where it was noted to be, see log.place()
  reason      text NOT NULL
);
CREATE INDEX incarnation_began ON log.incarnation (began_at);

INSERT INTO log.incarnation (incarnation, position, reason) SELECT incarnation, 0, 'made' FROM log.state;

-- Where the log was when somebody last looked; null until then.
ALTER TABLE log.state ADD COLUMN place text;
