-- Whether the tables of a group's baseline are those of the version in use; null without a baseline.
CREATE OR REPLACE FUNCTION projection.baseline_fits(leader text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT b.tables = s.tables
  FROM projection.version b
  LEFT JOIN projection.version s ON (s.schema_name, s.leader) = ('projection', b.leader)
  WHERE (b.schema_name, b.leader) = ('baseline', baseline_fits.leader)
$$;
