-- The position of a lane of a version under construction, and the highest of the version in use, whose locks the caller holds:
-- applied up to that, the new one has everything that the one in use has counted.
CREATE OR REPLACE FUNCTION projection.gap(beside text, leader text, lane smallint, OUT built bigint, OUT served bigint)
LANGUAGE sql STABLE AS $$
  SELECT l.position, coalesce((SELECT max(c.position) FROM projection.checkpoint c WHERE c.name = gap.leader), 0)
  FROM projection.version_lane l
  WHERE (l.schema_name, l.leader, l.lane) = (beside, gap.leader, gap.lane)
$$;
