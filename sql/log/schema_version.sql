-- The current schema version of a kind's events: that of EventKind.schemaVersion.
CREATE OR REPLACE FUNCTION log.schema_version(kind text) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 1::smallint $$;
