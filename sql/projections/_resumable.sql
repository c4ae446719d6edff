-- The position from which the making of a version of a group can go on: that of its slowest lane. Null where there is no such
-- version, where its schema is gone, and where it is of another definition: `tables` and `functions` are the SQL without
-- comments, `lanes` is the number of lanes that is wanted, null for any.
CREATE OR REPLACE FUNCTION projection.resumable(version text, leader text, tables text, functions text, lanes smallint)
RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT min(l.position)
  FROM projection.version v
  JOIN projection.version_lane l USING (schema_name, leader)
  WHERE (v.schema_name, v.leader) = (version, resumable.leader)
    AND v.tables = projection.checksum(resumable.tables) AND v.functions = projection.checksum(resumable.functions)
    AND v.lanes = coalesce(resumable.lanes, v.lanes) AND to_regnamespace(v.schema_name) IS NOT NULL
$$;
