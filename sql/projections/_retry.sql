-- Begins to apply one event again that a group has set aside in the version in use, in the caller's transaction, under the
-- version's lock: it is set aside no longer. Returns the version's checkpoint; null where the event was not set aside.
CREATE OR REPLACE FUNCTION projection.begin_retry(leader text, "position" bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM projection.set_aside s
  WHERE (s.schema_name, s.leader, s.position) = ('projection', begin_retry.leader, begin_retry.position);
  RETURN CASE WHEN FOUND THEN (SELECT c.position FROM projection.checkpoint c WHERE c.name = begin_retry.leader) END;
END $$;

-- Ends it: the event may have left slices.
CREATE OR REPLACE FUNCTION projection.end_retry(leader text) RETURNS void
LANGUAGE sql AS $$
  UPDATE projection.checkpoint c SET unfinished_after = projection.unfinished_after('projection', leader) WHERE c.name = leader
$$;
