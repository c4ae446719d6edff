-- Brings a version beside at least as far as the one that serves, whose lock the caller holds: what the one that serves
-- has counted, its successor has too.
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
