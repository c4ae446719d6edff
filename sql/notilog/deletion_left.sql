-- Whether rows are left of an app, beside those that go with the app itself (notilog.deletion_end).
CREATE OR REPLACE FUNCTION notilog.deletion_left(app integer) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  "table"  text;
  has_rows boolean;
BEGIN
  FOR "table" IN SELECT 'log.event' UNION ALL SELECT t.name FROM notilog.deletion_tables() t LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE app_id = $1)', "table") INTO has_rows USING app;
    IF has_rows THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN false;
END $$;
