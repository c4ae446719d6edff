-- Whether this database has every lane: it is not a cell of several.
CREATE OR REPLACE FUNCTION log.is_alone() RETURNS boolean
LANGUAGE sql STABLE AS $$ SELECT cardinality(s.lanes) = 8 FROM log.state s $$;

-- Whether a device is of a lane that is here, and not known by copies alone.
CREATE OR REPLACE FUNCTION log.is_own(device text) RETURNS boolean
LANGUAGE sql STABLE AS $$ SELECT log.lane(device) = ANY ((SELECT s.lanes FROM log.state s)::smallint[]) $$;
