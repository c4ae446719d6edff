-- Deletes a cursor. False if there is none of that name. NL409: the cell is closed for a move, and the new server would keep it.
CREATE OR REPLACE FUNCTION export.cursor_drop(cursor_name text) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT export.refuse_moving();
  WITH dropped AS (DELETE FROM export.cursor c WHERE c.name = cursor_name RETURNING 1)
  SELECT EXISTS (TABLE dropped)
$$;
