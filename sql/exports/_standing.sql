-- The position of the log up to which a dataset's projections are complete.
CREATE OR REPLACE FUNCTION export.standing(dataset text) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT min(coalesce(least(c.position, c.unfinished_after), 0))
  FROM export.dataset d, unnest(d.projections) AS p (name) LEFT JOIN projection.checkpoint c USING (name)
  WHERE d.name = dataset
$$;

-- The position of each lane of the projections of a dataset.
CREATE OR REPLACE FUNCTION export.lanes(dataset text) RETURNS bigint[]
LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(c.position ORDER BY c.name, c.lane), '{}')
  FROM export.dataset d JOIN projection.checkpoint c ON c.name = ANY (d.projections)
  WHERE d.name = dataset
$$;
