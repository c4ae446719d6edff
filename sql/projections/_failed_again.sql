-- Records that an event set aside by the version in use failed again.
CREATE OR REPLACE FUNCTION projection.failed_again(leader text, lane smallint, "position" bigint, sqlstate text, error text) RETURNS void
LANGUAGE sql AS $$
  UPDATE projection.set_aside s
  SET sqlstate = failed_again.sqlstate, error = failed_again.error, attempts = attempts + 1, tried_at = now()
  WHERE (s.schema_name, s.leader, s.position, s.lane)
    = ('projection', failed_again.leader, failed_again.position, failed_again.lane)
$$;
