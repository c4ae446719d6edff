-- A cursor, created if there is none of that name. `incarnation` is the log's current one: if the cursor has another one, the
-- log may lack exported events, and may assign their positions again. NL409, where it would be created or changed: the cell is closed
-- for a move, and the new server would know another cursor of that name.
CREATE OR REPLACE FUNCTION export.cursor_open(cursor_name text, app integer, new_dataset text, accept_incarnation boolean)
RETURNS TABLE (cursor_id uuid, app_id integer, dataset text, done bigint, is_known boolean, run_to bigint, run_file text,
  run_format text, run_gzip boolean, incarnation uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  IF NOT EXISTS (SELECT FROM export.cursor c WHERE c.name = cursor_name) THEN
    PERFORM export.refuse_moving();
    INSERT INTO export.cursor (name, app_id, dataset, incarnation)
    SELECT cursor_name, app, new_dataset, s.incarnation FROM log.state s
    ON CONFLICT DO NOTHING;
  END IF;
  IF accept_incarnation THEN
    PERFORM export.refuse_moving();
    UPDATE export.cursor c SET incarnation = s.incarnation FROM log.state s
    WHERE c.name = cursor_name AND c.incarnation <> s.incarnation;
  END IF;
  RETURN QUERY
  SELECT c.cursor_id, c.app_id, c.dataset, c.done, c.incarnation = s.incarnation, c.run_to, c.run_file, c.run_format,
    c.run_gzip, s.incarnation
  FROM export.cursor c, log.state s WHERE c.name = cursor_name;
END $$;
