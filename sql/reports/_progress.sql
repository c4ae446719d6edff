-- The position up to which all of some checkpoints are complete, the age of the oldest event beyond it, the highest position drawn,
-- and the time. The log itself, as a checkpoint, is where every position is settled. Of an app, slices of other apps do not count;
-- of none (null), all do.
CREATE OR REPLACE FUNCTION reporting.progress(checkpoints text[], app integer)
RETURNS TABLE ("position" bigint, lag_seconds double precision, drawn bigint, at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT p.position, coalesce(greatest(extract(epoch FROM now() - (
      SELECT e.received_at FROM log.event e WHERE e.position > p.position ORDER BY e.position LIMIT 1)), 0), 0)::float8,
    log.drawn_position(), now()
  FROM (
    SELECT coalesce(min(CASE l.name WHEN 'log' THEN (SELECT settled_position FROM log.state)
      ELSE coalesce(least(c.position, CASE
        WHEN c.unfinished_after IS NULL OR app IS NULL THEN c.unfinished_after
        ELSE projection.unfinished_of_app(app) END), 0) END), 0) AS position
    FROM unnest(checkpoints) AS l (name)
    LEFT JOIN projection.checkpoint c USING (name)
  ) p
$$;

-- What services of the release before ask.
CREATE OR REPLACE FUNCTION reporting.progress(checkpoints text[])
RETURNS TABLE ("position" bigint, lag_seconds double precision, drawn bigint, at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT * FROM reporting.progress(checkpoints, NULL)
$$;

-- The same of this cell, with its number, whether it is one of several, and up to which position what other cells need of its events
-- is applied there.
CREATE OR REPLACE FUNCTION reporting.progress_counts(app_number integer, checkpoints text[])
RETURNS TABLE (cell smallint, is_clustered boolean, "position" bigint, lag_seconds double precision, drawn bigint, at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT s.cell, s.cluster IS NOT NULL, least(p.position, c.applied), p.lag_seconds, p.drawn, p.at
  FROM reporting.progress(checkpoints, app_number) p, log.state s, (SELECT min(applied) AS applied FROM log.copied) c
$$;
