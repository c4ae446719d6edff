-- Whether the events after a position are still stored: retention may have dropped some, unless a named cursor held them.
CREATE OR REPLACE FUNCTION export.holds(dataset text, number bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT d.keys <> '{}' OR NOT EXISTS (SELECT FROM log.dropped_partition p WHERE p.last_position > number)
  FROM export.dataset d
  WHERE d.name = dataset
$$;
