-- The notifications of each app that a slice could not update, with the error of one.
CREATE OR REPLACE FUNCTION projection.skipped() RETURNS TABLE (app_id integer, notifications bigint, error text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- A version that an earlier release made goes past none.
  IF to_regclass('projection.skipped_notification') IS NOT NULL THEN
    RETURN QUERY
    SELECT s.app_id, count(*), min(s.error) FROM projection.skipped_notification s GROUP BY s.app_id ORDER BY s.app_id;
  END IF;
END $$;
