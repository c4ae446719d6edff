-- An event's `data` in the current version of its kind. Each step is a function log.upcast_<kind>_<version>(data) in
-- sql/upcasting, which converts data of that version to the next.
--
-- Data of a later release stays unchanged.
CREATE OR REPLACE FUNCTION log.upcast(kind text, version smallint, data jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  step regprocedure;
BEGIN
  WHILE version < log.schema_version(kind) LOOP
    step := to_regprocedure(format('log.%I(jsonb)', 'upcast_' || kind || '_' || version));
    IF step IS NULL THEN
      RAISE EXCEPTION 'events of kind % cannot be read in schema version %', kind, version
        USING HINT = format('sql/upcasting/%s_%s.sql is missing: migrate with a release that has it', kind, version);
    END IF;
    EXECUTE format('SELECT %s($1)', step::regproc) INTO data USING data;
    version := version + 1;
  END LOOP;
  RETURN data;
END $$;
