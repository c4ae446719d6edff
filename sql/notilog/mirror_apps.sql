-- The apps as other cells need to know them: an array of objects.
CREATE OR REPLACE FUNCTION notilog.mirrored_apps() RETURNS jsonb
LANGUAGE sql STABLE AS $$
  SELECT coalesce(jsonb_agg(to_jsonb(a) ORDER BY a.app_id), '[]') FROM notilog.app a
$$;

-- In a cell other than the coordinator: makes the apps what notilog.mirrored_apps says of them there, under the same numbers. Those
-- that it does not name were deleted: they go once nothing is left of them here. Returns how many were made, changed or taken away.
CREATE OR REPLACE FUNCTION notilog.mirror_apps(apps jsonb) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  changed integer := 0;
  app     notilog.app;
  here    notilog.app;
BEGIN
  IF (SELECT s.cell = 0 FROM log.state s) THEN
    RAISE EXCEPTION 'the coordinator has its own apps' USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  FOR here IN
    SELECT a.* FROM notilog.app a
    WHERE a.app_id NOT IN (SELECT p.app_id FROM jsonb_populate_recordset(NULL::notilog.app, apps) p)
  LOOP
    IF notilog.deletion_end(here.app_id) THEN
      changed := changed + 1;
    END IF;
  END LOOP;
  FOR app IN SELECT * FROM jsonb_populate_recordset(NULL::notilog.app, apps) LOOP
    SELECT a.* INTO here FROM notilog.app a WHERE a.app_id = app.app_id;
    CONTINUE WHEN here = app;
    changed := changed + 1;
    INSERT INTO notilog.app AS a (app_id, name, keep_reply_text, hash_ids, created_at, made_by)
    OVERRIDING SYSTEM VALUE
    VALUES (app.app_id, app.name, app.keep_reply_text, app.hash_ids, app.created_at, app.made_by)
    ON CONFLICT (app_id) DO UPDATE
    SET name = excluded.name, keep_reply_text = excluded.keep_reply_text, hash_ids = excluded.hash_ids,
      created_at = excluded.created_at, made_by = excluded.made_by;
    IF notilog.name_dimensions(app.app_id, app.dimensions) = 'too_many' THEN
      RAISE EXCEPTION 'the own dimensions of app % were named too often for the version of notification here: rebuild it', app.name
        USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
  END LOOP;
  RETURN changed;
END $$;
