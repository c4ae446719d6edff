-- Records the run that a cursor is about to make, before its file exists. False if the cursor has moved since. NL409: the cell is closed
-- for a move, and the new server would not know of the run.
CREATE OR REPLACE FUNCTION export.cursor_begin(cursor_name text, after bigint, upto bigint, file text, format text, gzip boolean)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM export.refuse_moving();
  UPDATE export.cursor c
  SET run_to = upto, run_file = file, run_format = format, run_gzip = gzip, run_at = clock_timestamp()
  WHERE c.name = cursor_name AND c.done = after AND c.run_to IS NULL;
  RETURN FOUND;
END $$;
