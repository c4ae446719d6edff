-- Runs ANALYZE on a version's tables, so that its first readers after the swap have good plans.
CREATE OR REPLACE FUNCTION projection.analyze(version text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT c.relname FROM pg_class c WHERE c.relnamespace = version::regnamespace AND c.relkind = 'r' LOOP
    EXECUTE format('ANALYZE %I.%I', version, name);
  END LOOP;
END $$;
