-- Applies a version under construction at least up to the position of the one in use, whose lock the caller holds: everything
-- that the one in use has counted, the new one has too.
CREATE OR REPLACE FUNCTION projection.overtake(beside text, leader text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  served bigint;
  built  bigint;
  members text[];
BEGIN
  SELECT coalesce((SELECT c.position FROM projection.checkpoint c WHERE c.name = overtake.leader), 0), v.position, v.members
  INTO STRICT served, built, members
  FROM projection.version v WHERE (v.schema_name, v.leader) = (beside, overtake.leader);
  IF built < served THEN
    PERFORM projection.apply(beside, leader, members, built, served);
    PERFORM projection.move(beside, leader, built, served);
  END IF;
END $$;
