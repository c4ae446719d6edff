-- Moves a cursor to the end of its recorded run, whose file is complete. False if another run is recorded.
CREATE OR REPLACE FUNCTION export.cursor_end(cursor_name text, after bigint, upto bigint) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH ended AS (
    UPDATE export.cursor c
    SET done = upto, run_to = NULL, run_file = NULL, run_format = NULL, run_gzip = NULL, run_at = NULL,
      updated_at = clock_timestamp()
    WHERE c.name = cursor_name AND c.done = after AND c.run_to = upto
    RETURNING 1)
  SELECT EXISTS (TABLE ended)
$$;
