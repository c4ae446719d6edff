-- Sets a cursor back to the beginning: its next run exports everything again. False if there is no such cursor.
-- NL409: the cell is closed for a move, and the new server would not know.
CREATE OR REPLACE FUNCTION export.cursor_reset(cursor_name text) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT export.refuse_moving();
  WITH set_back AS (
    UPDATE export.cursor c
    SET cursor_id = gen_random_uuid(), incarnation = s.incarnation, done = 0, run_to = NULL, run_file = NULL,
      run_format = NULL, run_gzip = NULL, run_at = NULL, updated_at = clock_timestamp()
    FROM log.state s
    WHERE c.name = cursor_name
    RETURNING 1)
  SELECT EXISTS (TABLE set_back)
$$;
