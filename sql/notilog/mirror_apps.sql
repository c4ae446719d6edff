-- The apps as other cells need to know them: an array of objects.
CREATE OR REPLACE FUNCTION notilog.mirrored_apps() RETURNS jsonb
LANGUAGE sql STABLE AS $$
  SELECT coalesce(jsonb_agg(to_jsonb(a) ORDER BY a.app_id), '[]') FROM notilog.app a
$$;

-- Makes apps what notilog.mirrored_apps says of them elsewhere, under the same numbers. Returns how many were made or changed.
CREATE OR REPLACE FUNCTION notilog.take_apps(apps jsonb) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  changed integer := 0;
  app     notilog.app;
  here    notilog.app;
BEGIN
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

-- In a cell other than the coordinator: the same; those that it does not name were deleted there: they go once nothing is left of them
-- here. Returns how many were made, changed or taken away.
CREATE OR REPLACE FUNCTION notilog.mirror_apps(apps jsonb) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  changed integer := 0;
  here    notilog.app;
BEGIN
  IF (SELECT s.cell = 0 FROM log.state s) THEN
    RAISE EXCEPTION 'the coordinator has its own apps' USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  FOR here IN
    SELECT a.* FROM notilog.app a
    WHERE a.app_id NOT IN (SELECT p.app_id FROM jsonb_populate_recordset(NULL::notilog.app, apps) p)
  LOOP
    -- Asked every few seconds: without a look before, what is left would stop all batches each time.
    CONTINUE WHEN notilog.deletion_left(here.app_id);
    IF notilog.deletion_end(here.app_id) THEN
      changed := changed + 1;
    END IF;
  END LOOP;
  RETURN changed + notilog.take_apps(apps);
END $$;

-- The same where apps come from a store that is imported. Those that are here must be the same there, as events carry their numbers.
CREATE OR REPLACE FUNCTION notilog.import_apps(apps jsonb) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  other text;
  taken integer;
BEGIN
  SELECT a.name INTO other
  FROM notilog.app a
  LEFT JOIN jsonb_populate_recordset(NULL::notilog.app, apps) p ON (p.app_id, p.name, p.created_at) = (a.app_id, a.name, a.created_at)
  WHERE p.app_id IS NULL
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the app % is not in the store to import, or is another one there: delete it here, or import into a store without apps', other
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  taken := notilog.take_apps(apps);
  PERFORM setval(pg_get_serial_sequence('notilog.app', 'app_id'), max(a.app_id)) FROM notilog.app a HAVING max(a.app_id) > 0;
  RETURN taken;
END $$;
