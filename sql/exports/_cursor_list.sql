-- The cursors, their positions, and whether a run is under way.
CREATE OR REPLACE FUNCTION export.cursor_list()
RETURNS TABLE (name text, app text, dataset text, done bigint, is_known boolean, is_running boolean, run_file text,
  updated_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT c.name, a.name, c.dataset, c.done, c.incarnation = s.incarnation,
    lock.is_held('export cursor ' || c.name),
    c.run_file, c.updated_at
  FROM export.cursor c JOIN notilog.app a USING (app_id), log.state s
  ORDER BY c.name
$$;
