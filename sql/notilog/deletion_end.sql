-- Deletes the app itself, its keys and its readers, if nothing else is left of it; returns whether it did. Gives up with 55P03
-- like notilog.deletion_step.
CREATE OR REPLACE FUNCTION notilog.deletion_end(app integer) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '60s' AS $$
BEGIN
  -- Nobody applies events, begins a version or numbers changes for an export meanwhile.
  PERFORM notilog.deletion_locks();
  IF notilog.deletion_left(app) THEN
    RETURN false;
  END IF;
  DELETE FROM notilog.reader_app r WHERE r.app_id = app;
  DELETE FROM notilog.api_key k WHERE k.app_id = app;
  DELETE FROM notilog.app a WHERE a.app_id = app;
  RETURN true;
END $$;
