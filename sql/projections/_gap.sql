-- The positions of a version under construction and of the one in use, whose lock the caller holds: applied up to that, the new
-- one has everything that the one in use has counted.
CREATE OR REPLACE FUNCTION projection.gap(beside text, leader text, OUT built bigint, OUT served bigint)
LANGUAGE sql STABLE AS $$
  SELECT v.position, coalesce((SELECT c.position FROM projection.checkpoint c WHERE c.name = gap.leader), 0)
  FROM projection.version v
  WHERE (v.schema_name, v.leader) = (beside, gap.leader)
$$;
