-- Begins to delete an app: its keys count no longer. Gives its number, how many events it has, and when its last key was
-- revoked; no row where there is no such app. What a service still takes by keys that it has not seen revoked is deleted with
-- the rest. Run by a member of notilog_owner.
CREATE OR REPLACE FUNCTION notilog.deletion_begin(app text)
RETURNS TABLE (app_id integer, events bigint, revoked_at timestamptz)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  UPDATE notilog.api_key k SET revoked_at = clock_timestamp()
  FROM notilog.app a
  WHERE a.name = app AND k.app_id = a.app_id AND k.revoked_at IS NULL;
  RETURN QUERY
  SELECT a.app_id, (SELECT count(*) FROM log.event e WHERE e.app_id = a.app_id),
    (SELECT max(k.revoked_at) FROM notilog.api_key k WHERE k.app_id = a.app_id)
  FROM notilog.app a WHERE a.name = app;
END $$;
