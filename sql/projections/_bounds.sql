-- Where a version of a group stands and how far it may go: no further than the log is settled, and than the groups that
-- it must be behind (of these the versions that serve count).
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
