-- Enables row security on a table with an app_id: the service's roles see every row, because the service filters by app
-- itself, and readers the rows of their apps. If it is enabled already, it changes nothing and takes no lock.
CREATE OR REPLACE FUNCTION notilog.protect_rows(relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET client_min_messages = warning AS $$
BEGIN
  IF NOT (SELECT relrowsecurity FROM pg_class WHERE oid = relation) THEN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', relation);
  END IF;
  IF NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = relation AND polname = 'service') THEN
    -- The planner removes a condition that is always true.
    EXECUTE format('CREATE POLICY service ON %s TO notilog_writer, notilog_projector USING (true) WITH CHECK (true)', relation);
  END IF;
  IF NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = relation AND polname = 'reader') THEN
    EXECUTE format('CREATE POLICY reader ON %s FOR SELECT TO notilog_reader '
      'USING (app_id = ANY ((SELECT notilog.readable_apps())::integer[]))', relation);
  END IF;
END $$;
