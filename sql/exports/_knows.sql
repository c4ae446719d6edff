-- Whether the log still is the one that a reader knows, up to the reader's position. Positions are valid as far as two
-- incarnations are the same; change numbers in one incarnation only.
CREATE OR REPLACE FUNCTION export.knows(dataset text, known text, number bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT s.incarnation::text = known
    OR (d.keys = '{}' AND coalesce(log.common_position(known::uuid) >= number, false))
  FROM export.dataset d, log.state s
  WHERE d.name = dataset
$$;
