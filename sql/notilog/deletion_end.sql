-- Deletes the app itself, its keys and its readers, if nothing else is left of it; returns whether it did. Gives up with 55P03
-- like notilog.deletion_step.
CREATE OR REPLACE FUNCTION notilog.deletion_end(app integer) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '60s' AS $$
DECLARE
  "table"  text;
  has_rows boolean;
BEGIN
  -- Nobody applies events, begins a version or numbers changes for an export meanwhile.
  PERFORM notilog.deletion_locks();
  FOR "table" IN SELECT 'log.event' UNION ALL SELECT t.name FROM notilog.deletion_tables() t LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE app_id = $1)', "table") INTO has_rows USING app;
    IF has_rows THEN
      RETURN false;
    END IF;
  END LOOP;
  DELETE FROM notilog.reader_app r WHERE r.app_id = app;
  DELETE FROM notilog.api_key k WHERE k.app_id = app;
  DELETE FROM notilog.app a WHERE a.app_id = app;
  RETURN true;
END $$;
