-- Drops a version of a group that does not serve, with all that is known of it.
CREATE OR REPLACE FUNCTION projection.discard(version text, leader text) RETURNS void
LANGUAGE plpgsql SET client_min_messages = warning AS $$
BEGIN
  IF version !~ '^projection_(next|verify|old)_' THEN
    RAISE EXCEPTION '% is no version beside the one that serves', version USING ERRCODE = 'invalid_parameter_value';
  END IF;
  EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', version);
  DELETE FROM projection.version v WHERE (v.schema_name, v.leader) = (version, discard.leader);
  DELETE FROM projection.set_aside s WHERE (s.schema_name, s.leader) = (version, discard.leader);
END $$;
