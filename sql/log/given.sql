-- A position of this log as clients are given it: in a cell it ends with the cell's number (Sources/EventLog/Cells/Position+cells.swift).
CREATE OR REPLACE FUNCTION log.given("position" bigint) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN s.cluster IS NULL THEN given.position ELSE given.position * 1024 + s.cell END FROM log.state s
$$;
