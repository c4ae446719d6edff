-- Saves a view of an app, replacing one with the same name. The same definition again keeps its position. Its digests are due by its
-- time zone from then on. Returns no row at the limit of an app's views.
CREATE OR REPLACE FUNCTION notilog.save_view(app integer, view_name text, view_report text, view_parameters jsonb)
RETURNS TABLE (name text, report text, parameters jsonb, "position" bigint, saved_at timestamptz, is_new boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  most constant integer := 1000;
  zone constant text := notilog.view_tz(view_parameters);
  zone_before  text;
  found_before boolean;
BEGIN
  PERFORM FROM notilog.app a WHERE a.app_id = app FOR NO KEY UPDATE;   -- one at a time, so that the count holds
  SELECT notilog.view_tz(v.parameters) INTO zone_before FROM notilog.saved_view v WHERE v.app_id = app AND v.name = view_name;
  found_before := FOUND;
  IF NOT found_before AND (SELECT count(*) FROM notilog.saved_view v WHERE v.app_id = app) >= most THEN
    RETURN;
  END IF;
  INSERT INTO notilog.saved_view AS v (app_id, name, report, parameters, position)
  SELECT app, view_name, view_report, view_parameters, s.settled_position FROM log.state s
  ON CONFLICT ON CONSTRAINT saved_view_pkey DO UPDATE
  SET report = excluded.report, parameters = excluded.parameters, position = excluded.position, saved_at = now()
  WHERE (v.report, v.parameters) IS DISTINCT FROM (excluded.report, excluded.parameters);
  IF zone_before <> zone THEN
    -- One that is due already stays so. All are locked: one that is being finished has its next time by the zone of before.
    UPDATE notilog.digest d
    SET due_at = CASE WHEN d.due_at > now() THEN notilog.digest_due(now(), d.weekday, d.at, zone) ELSE d.due_at END,
      try_at = CASE WHEN d.due_at > now() THEN notilog.digest_due(now(), d.weekday, d.at, zone) ELSE d.try_at END
    WHERE d.app_id = app AND d.view = view_name;
  END IF;
  RETURN QUERY
  SELECT v.name, v.report, v.parameters, v.position, v.saved_at, NOT found_before
  FROM notilog.saved_view v
  WHERE v.app_id = app AND v.name = view_name;
END $$;
