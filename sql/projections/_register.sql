-- Records which version of a group a schema holds, after its tables and functions were created. `tables` and `functions` are
-- their SQL without comments: checksums distinguish definitions. The number of lanes is that of a new version, and stays; each
-- lane of a version in use has a checkpoint from the beginning.
CREATE OR REPLACE FUNCTION projection.register(
  version text, leader text, members text[], tables text, functions text, lanes smallint, OUT version_id bigint)
LANGUAGE sql AS $$
  INSERT INTO projection.version AS v (schema_name, leader, members, objects, tables, functions, rows_by, lanes)
  SELECT version, leader, members, array(
      SELECT m[1] FROM regexp_matches(tables || ' ' || functions,
        'CREATE (?:OR REPLACE )?(?:TABLE|VIEW|FUNCTION) (?:IF NOT EXISTS )?(\w+)', 'g') AS m ORDER BY 1),
    projection.checksum(tables), projection.checksum(functions), projection.checksum(functions), lanes
  ON CONFLICT (schema_name, leader) DO UPDATE
  SET members = excluded.members, objects = excluded.objects, tables = excluded.tables, functions = excluded.functions;
  INSERT INTO projection.checkpoint (name, lane)
  SELECT v.leader, n FROM projection.version v, generate_series(0, v.lanes - 1) AS n
  WHERE (v.schema_name, v.leader) = ('projection', register.leader) AND version = 'projection' AND v.lanes > 1
  ON CONFLICT DO NOTHING;
  SELECT v.version_id FROM projection.version v WHERE (v.schema_name, v.leader) = (version, register.leader)
$$;
