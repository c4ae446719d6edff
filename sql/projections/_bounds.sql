-- The position of a version of a group, and the position up to which it may be applied: not beyond the settled position, nor
-- beyond the versions in use of the groups that it must follow.
CREATE OR REPLACE FUNCTION projection.bounds(
  version text, leader text, behind text[],
  OUT "position" bigint, OUT target bigint, OUT paused boolean, OUT version_id bigint)
LANGUAGE sql STABLE AS $$
  SELECT coalesce(CASE version WHEN 'projection' THEN c.position ELSE v.position END, 0),
    least(s.settled_position, (
      SELECT min(coalesce(a.position, 0))
      FROM unnest(behind) AS b (name) LEFT JOIN projection.checkpoint a ON a.name = b.name)),
    version = 'projection' AND coalesce(c.paused, false), coalesce(v.version_id, 0)
  FROM log.state s
  LEFT JOIN projection.checkpoint c ON c.name = leader
  LEFT JOIN projection.version v ON (v.schema_name, v.leader) = (version, bounds.leader)
$$;
