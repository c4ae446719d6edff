-- The version of the vocabulary in which events of a kind are written now: that of EventKind.schemaVersion.
CREATE OR REPLACE FUNCTION log.schema_version(kind text) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 1::smallint $$;
