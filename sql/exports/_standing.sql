-- The position of the log up to which a dataset's projections are complete for an app.
CREATE OR REPLACE FUNCTION export.standing(dataset text, app integer) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT min(coalesce(least(c.position,
    CASE WHEN c.unfinished_after IS NOT NULL THEN projection.unfinished_of_app(app) END), 0))
  FROM export.dataset d, unnest(d.projections) AS p (name) LEFT JOIN projection.checkpoint c USING (name)
  WHERE d.name = dataset
$$;

-- Whether slices are left of a dataset's projections: they change rows, and no position.
CREATE OR REPLACE FUNCTION export.is_unfinished(dataset text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM export.dataset d JOIN projection.checkpoint c ON c.name = ANY (d.projections)
    WHERE d.name = dataset AND c.unfinished_after IS NOT NULL)
$$;

-- The position of each lane of the projections of a dataset.
CREATE OR REPLACE FUNCTION export.lanes(dataset text) RETURNS bigint[]
LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(c.position ORDER BY c.name, c.lane), '{}')
  FROM export.dataset d JOIN projection.checkpoint c ON c.name = ANY (d.projections)
  WHERE d.name = dataset
$$;
