-- Adds a digest of a saved view. Returns null at the limit of an app's digests, 0 where the app has the same already, and -1 where it
-- has no such view.
CREATE OR REPLACE FUNCTION notilog.add_digest(app integer, view_name text, on_weekday smallint, at_time text, mail_receiver text)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  most  constant integer := 100;
  next  timestamptz;
  added bigint;
BEGIN
  PERFORM FROM notilog.app a WHERE a.app_id = app FOR NO KEY UPDATE;   -- one at a time, so that the count holds
  SELECT notilog.digest_due(now(), on_weekday, at_time::time, notilog.view_tz(v.parameters)) INTO next
  FROM notilog.saved_view v
  WHERE v.app_id = app AND v.name = view_name;
  IF NOT FOUND THEN
    RETURN -1;
  END IF;
  IF EXISTS (SELECT FROM notilog.digest d WHERE (d.app_id, d.view, d.receiver) = (app, view_name, mail_receiver)
    AND d.weekday IS NOT DISTINCT FROM on_weekday) THEN
    RETURN 0;
  END IF;
  INSERT INTO notilog.digest (app_id, view, weekday, at, receiver, due_at, try_at)
  SELECT app, view_name, on_weekday, at_time::time, mail_receiver, next, next
  WHERE (SELECT count(*) FROM notilog.digest d WHERE d.app_id = app) < most
  RETURNING digest_id INTO added;
  RETURN added;
END $$;
