-- Statistics of a version's tables, so that whoever reads it first once it serves has good plans.
CREATE OR REPLACE FUNCTION projection.analyze(version text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT c.relname FROM pg_class c WHERE c.relnamespace = version::regnamespace AND c.relkind = 'r' LOOP
    EXECUTE format('ANALYZE %I.%I', version, name);
  END LOOP;
END $$;
