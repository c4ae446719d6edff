-- Applies one event that a group has set aside to the version in use; it is applied late, which changes nothing (law 1). In a
-- transaction of its own, under the version's lock. If it fails again, nothing changes.
CREATE OR REPLACE FUNCTION projection.retry(leader text, members text[], "position" bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  at bigint;
BEGIN
  SELECT c.position INTO STRICT at FROM projection.checkpoint c WHERE c.name = retry.leader;
  DELETE FROM projection.set_aside s
  WHERE (s.schema_name, s.leader, s.position) = ('projection', retry.leader, retry.position);
  IF FOUND THEN
    PERFORM projection.apply('projection', leader, members, retry.position - 1, retry.position, applied_before => at);
    UPDATE projection.checkpoint c SET unfinished_after = projection.unfinished_after('projection', leader) WHERE c.name = leader;
  END IF;
END $$;
