-- The position of a lane of a version of a group, and the position up to which it may be applied: not beyond the settled
-- position, nor beyond the versions in use of the groups that it must follow; of its own group not beyond the same lane.
CREATE OR REPLACE FUNCTION projection.bounds(
  version text, leader text, lane smallint, behind text[],
  OUT "position" bigint, OUT target bigint, OUT paused boolean, OUT version_id bigint)
LANGUAGE sql STABLE AS $$
  SELECT coalesce(CASE version WHEN 'projection' THEN c.position ELSE l.position END, 0),
    least(s.settled_position, (
      SELECT min(coalesce(a.position, 0))
      FROM unnest(behind) AS b (name)
      LEFT JOIN projection.checkpoint a ON a.name = b.name AND (b.name <> bounds.leader OR a.lane = bounds.lane))),
    version = 'projection' AND coalesce(c.paused, false), coalesce(v.version_id, 0)
  FROM log.state s
  LEFT JOIN projection.checkpoint c ON (c.name, c.lane) = (bounds.leader, bounds.lane)
  LEFT JOIN projection.version v ON (v.schema_name, v.leader) = (version, bounds.leader)
  LEFT JOIN projection.version_lane l ON (l.schema_name, l.leader, l.lane) = (version, bounds.leader, bounds.lane)
$$;

-- The number of lanes of a version of a group, and the version's number.
CREATE OR REPLACE FUNCTION projection.lanes(version text, leader text, OUT lanes smallint, OUT version_id bigint)
LANGUAGE sql STABLE AS $$
  SELECT coalesce(max(v.lanes), 1::smallint), coalesce(max(v.version_id), 0)
  FROM projection.version v WHERE (v.schema_name, v.leader) = (version, lanes.leader)
$$;
