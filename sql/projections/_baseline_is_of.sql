-- Whether the tables of a group's baseline are these, given as their SQL without comments; null without a baseline. For the rest of the
-- transaction a migration that changes the baseline waits: it deletes the record.
CREATE OR REPLACE FUNCTION projection.baseline_is_of(leader text, tables text) RETURNS boolean
LANGUAGE sql VOLATILE AS $$
  SELECT b.tables = projection.checksum(baseline_is_of.tables)
  FROM projection.version b
  WHERE (b.schema_name, b.leader) = ('baseline', baseline_is_of.leader)
  FOR SHARE
$$;
