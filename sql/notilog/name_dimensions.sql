-- Names the keys of an app's `attributes` that are its own dimensions, instead of those before. The versions of `notification`
-- that there are count by a new key from now on, one that begins later counts all events by it. Returns named, too_many where the
-- version in use has counted by as many keys of the app as it may, or null where there is no app. Gives up with 55P03 after 10 s
-- behind long batches, or two seconds behind other sessions.
CREATE OR REPLACE FUNCTION notilog.name_dimensions(app integer, wanted text[]) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $$
DECLARE
  -- Of a version, so that the values of one notification are few: every name is a stretch of the log of its own.
  most    constant integer := 64;
  named   text[];
  settled bigint;
BEGIN
  SELECT a.dimensions INTO named FROM notilog.app a WHERE a.app_id = app;
  IF named IS NULL THEN
    RETURN NULL;
  ELSIF named = wanted THEN
    RETURN 'named';
  END IF;
  -- No batch is under way: the events up to the settled position are counted by the keys of before, all others by these.
  PERFORM lock.exclusive('background');
  PERFORM lock.stop_batches();
  SELECT s.settled_position INTO settled FROM log.state s;
  -- Before their rows: a swap deletes a version, and with it those.
  PERFORM FROM projection.version v WHERE v.leader = 'notification' FOR KEY SHARE;
  -- Of two that name at once the second finds what the first named.
  PERFORM FROM notilog.app a WHERE a.app_id = app FOR NO KEY UPDATE;
  DELETE FROM notilog.dimension d
  WHERE d.app_id = app AND d.upto_position IS NULL AND d.key <> ALL (wanted) AND d.after_position >= settled;
  UPDATE notilog.dimension d SET upto_position = settled
  WHERE d.app_id = app AND d.upto_position IS NULL AND d.key <> ALL (wanted);
  INSERT INTO notilog.dimension (version_id, app_id, key, after_position)
  SELECT v.version_id, app, w.key, settled
  FROM projection.version v
  CROSS JOIN unnest(wanted) AS w (key)
  WHERE v.leader = 'notification' AND v.schema_name ~ '^projection(_next_|_verify_|$)'
    AND NOT EXISTS (
      SELECT FROM notilog.dimension d
      WHERE (d.version_id, d.app_id, d.key) = (v.version_id, app, w.key) AND d.upto_position IS NULL);
  IF (SELECT max(n) FROM (SELECT count(*) AS n FROM notilog.dimension d WHERE d.app_id = app GROUP BY d.version_id) each) > most THEN
    -- The caller rolls back.
    RETURN 'too_many';
  END IF;
  UPDATE notilog.app a SET dimensions = wanted WHERE a.app_id = app;
  RETURN 'named';
END $$;
