-- The condition that two relations, by their aliases, have the same row of a dataset. Collations are explicit, because those
-- of a function's columns are unknown.
CREATE OR REPLACE FUNCTION export.key_match(dataset text, this text, that text) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT string_agg(format(CASE c.type WHEN 'text' THEN '%1$s.%3$I = %2$s.%3$I COLLATE "C"' ELSE '%1$s.%3$I = %2$s.%3$I' END,
    this, that, k.name), ' AND ' ORDER BY k.ordinal)
  FROM export.dataset d, unnest(d.keys) WITH ORDINALITY AS k (name, ordinal)
  JOIN export.row_columns(d.name) c USING (name)
  WHERE d.name = dataset
$$;
