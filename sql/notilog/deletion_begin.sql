-- Begins to delete an app: revokes its keys. Returns its number and its number of events; no row if there is no such app.
-- Events that a service accepts before it sees the revocation are deleted with the rest. Run by a member of notilog_owner.
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
