-- The position of the log up to which a dataset's projections have come.
CREATE OR REPLACE FUNCTION export.standing(dataset text) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT min(coalesce(c.position, 0))
  FROM export.dataset d, unnest(d.projections) AS p (name) LEFT JOIN projection.checkpoint c USING (name)
  WHERE d.name = dataset
$$;
