-- How the versions in use differ from the files of this release: whether tables are others, and whether the functions changed
-- since the rows were made. Of each group the files' SQL without comments is given.
CREATE OR REPLACE FUNCTION projection.differences(leaders text[], tables text[], functions text[])
RETURNS TABLE (leader text, has_other_tables boolean, has_other_rows boolean)
LANGUAGE sql STABLE AS $$
  SELECT v.leader, v.tables <> projection.checksum(n.tables), v.rows_by <> projection.checksum(n.functions)
  FROM unnest(leaders, differences.tables, differences.functions) AS n (leader, tables, functions)
  JOIN projection.version v ON (v.schema_name, v.leader) = ('projection', n.leader)
$$;
