-- Drops a version of a group that is not in use, with its records. Reports may still read a version that was just replaced; it
-- is dropped when none does.
CREATE OR REPLACE FUNCTION projection.discard(version text, leader text) RETURNS void
LANGUAGE plpgsql SET client_min_messages = warning SET lock_timeout = '30s' AS $$   -- which lock_tables changes
BEGIN
  IF version !~ '^projection_(next|verify|old)_' THEN
    RAISE EXCEPTION '% is not a version beside the one in use', version USING ERRCODE = 'invalid_parameter_value';
  END IF;
  PERFORM projection.lock_tables(coalesce(array_agg(c.oid::regclass::text), '{}'), clock_timestamp() + interval '10 minutes')
  FROM pg_class c
  WHERE c.relnamespace = to_regnamespace(quote_ident(version)) AND c.relkind IN ('r', 'p', 'v');
  EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', version);
  DELETE FROM projection.holding h WHERE (h.schema_name, h.leader) = (version, discard.leader);
  DELETE FROM projection.version_lane l WHERE (l.schema_name, l.leader) = (version, discard.leader);
  DELETE FROM projection.version v WHERE (v.schema_name, v.leader) = (version, discard.leader);
  DELETE FROM projection.set_aside s WHERE (s.schema_name, s.leader) = (version, discard.leader);
  DELETE FROM projection.kept_snapshot k WHERE NOT EXISTS (SELECT FROM projection.version v WHERE v.version_id = k.version_id);
END $$;
