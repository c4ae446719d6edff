-- Records which version of a group a schema holds, after its tables and functions were created. `tables` and `functions` are
-- their SQL without comments: checksums distinguish definitions.
CREATE OR REPLACE FUNCTION projection.register(
  version text, leader text, members text[], tables text, functions text, OUT version_id bigint)
LANGUAGE sql AS $$
  INSERT INTO projection.version AS v (schema_name, leader, members, objects, tables, functions, rows_by)
  SELECT version, leader, members, array(
      SELECT m[1] FROM regexp_matches(tables || ' ' || functions,
        'CREATE (?:OR REPLACE )?(?:TABLE|VIEW|FUNCTION) (?:IF NOT EXISTS )?(\w+)', 'g') AS m ORDER BY 1),
    projection.checksum(tables), projection.checksum(functions), projection.checksum(functions)
  ON CONFLICT (schema_name, leader) DO UPDATE
  SET members = excluded.members, objects = excluded.objects, tables = excluded.tables, functions = excluded.functions
  RETURNING v.version_id
$$;
