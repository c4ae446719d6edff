-- Whether the log is still the one that a reader knows, as far as it has read. Positions hold as far as two incarnations are
-- the same; change numbers in one incarnation only.
CREATE OR REPLACE FUNCTION export.knows(dataset text, known text, number bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT s.incarnation::text = known
    OR (d.keys = '{}' AND coalesce(log.common_position(known::uuid) >= number, false))
  FROM export.dataset d, log.state s
  WHERE d.name = dataset
$$;
