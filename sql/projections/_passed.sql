-- The position that every version of every projection has passed: the log above it is still needed. Named groups that were
-- never applied count as 0.
CREATE OR REPLACE FUNCTION projection.passed(leaders text[]) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT coalesce(min(position), 0)
  FROM (
    SELECT coalesce(c.position, 0) AS position
    FROM unnest(leaders) AS l (name)
    LEFT JOIN projection.checkpoint c USING (name)
    UNION ALL
    SELECT position FROM projection.version_lane
  ) p
$$;
