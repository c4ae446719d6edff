-- Whether no later migration than this has been applied; none is for the rest of the transaction. A baseline whose record a migration
-- has deleted is that release's to begin again. Call it first: migrations take this lock before any other.
CREATE OR REPLACE FUNCTION log.retention_is_newest(newest integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  LOCK TABLE migration.applied IN ROW SHARE MODE;
  RETURN NOT EXISTS (SELECT FROM migration.applied a WHERE a.version > newest);
END $$;
