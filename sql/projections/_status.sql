-- How far each group is: up to where it is complete, what of the log is beyond that, what was set aside, and its next version
-- where one is being built. Of groups never applied the checkpoint is 0. Of a group with several lanes the last one counts.
CREATE OR REPLACE FUNCTION projection.status(leaders text[]) RETURNS TABLE (
  name text, "position" bigint, paused boolean, updated_at timestamptz, failure text,
  lag_events bigint,              -- positions beyond it, at most as many events
  lag_seconds double precision,   -- age of the oldest event not applied; slices do not count
  set_aside bigint, rebuild_begun_after bigint, rebuild_position bigint, rebuild_target bigint, lanes bigint[])
LANGUAGE sql STABLE AS $$
  SELECT l.name, c.reached, coalesce(c.paused, false), coalesce(c.updated_at, to_timestamp(0)), c.failure,
    greatest(s.drawn - c.reached, 0),
    greatest(coalesce(extract(epoch FROM clock_timestamp() - (
      SELECT e.received_at FROM log.event e WHERE e.position > coalesce(c.applied, 0)
      ORDER BY e.position LIMIT 1)), 0), 0)::float8,
    (SELECT count(DISTINCT a.position) FROM projection.set_aside a WHERE a.schema_name = 'projection' AND a.leader = l.name),
    r.begun_after, r.position, r.target, c.lanes
  FROM unnest(leaders) WITH ORDINALITY AS l (name, ordinal)
  CROSS JOIN LATERAL (
    SELECT coalesce(min(least(c.position, c.unfinished_after)), 0) AS reached, min(c.position) AS applied, bool_or(c.paused) AS paused,
      max(c.updated_at) AS updated_at, max(c.failure) AS failure,
      array_agg(coalesce(least(c.position, c.unfinished_after), 0) ORDER BY c.lane) AS lanes
    FROM projection.checkpoint c WHERE c.name = l.name) c
  LEFT JOIN projection.build_progress('projection_next_' || l.name, l.name) r ON true
  CROSS JOIN log.drawn_position() AS s (drawn)
  ORDER BY l.ordinal
$$;
