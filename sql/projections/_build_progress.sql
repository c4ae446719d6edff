-- How far a version is that is being built: the position after which it began, that of its slowest lane, and the one that it has
-- to reach. No row where there is no such version.
CREATE OR REPLACE FUNCTION projection.build_progress(version text, leader text)
RETURNS TABLE (begun_after bigint, "position" bigint, target bigint)
LANGUAGE sql STABLE AS $$
  SELECT v.begun_after, min(l.position), s.settled_position
  FROM projection.version v
  JOIN projection.version_lane l USING (schema_name, leader)
  CROSS JOIN log.state s
  WHERE (v.schema_name, v.leader) = (version, build_progress.leader)
  GROUP BY v.begun_after, s.settled_position
$$;
