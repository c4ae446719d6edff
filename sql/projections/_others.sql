-- Up to three events of a lane that come soon after a position, each of another device than the event there, and of its kind
-- where there are such.
CREATE OR REPLACE FUNCTION projection.others("position" bigint, lane smallint, lanes smallint) RETURNS SETOF bigint
LANGUAGE sql STABLE AS $$
  SELECT o.position
  FROM (
    SELECT d.position, d.is_alike, bool_or(d.is_alike) OVER () AS any_alike
    FROM (
      SELECT DISTINCT ON (o.app_id, o.device_id) o.position, o.kind = e.kind AS is_alike
      FROM log.event e
      CROSS JOIN LATERAL (
        SELECT * FROM log.event o WHERE o.position > e.position ORDER BY o.position LIMIT 1000) o
      CROSS JOIN log.state s
      WHERE e.position = others.position AND o.position <= s.settled_position
        AND (o.app_id, o.device_id) <> (e.app_id, e.device_id) AND log.lane(o.device_id) % others.lanes = others.lane
      ORDER BY o.app_id, o.device_id, o.kind = e.kind DESC
    ) d
  ) o
  WHERE o.is_alike = o.any_alike
  ORDER BY random()
  LIMIT 3
$$;
