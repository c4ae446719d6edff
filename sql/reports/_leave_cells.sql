-- Ends the transactions that this session has in other cells: whoever reads a report calls it last. Until then they hold back what
-- waits for readers there, such as the end of a rebuild.
CREATE OR REPLACE FUNCTION reporting.leave_cells() RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT cell.session_name(c.cell) FROM notilog.cell c WHERE c.cell > 0 LOOP
    BEGIN
      IF cell.is_open(name) THEN
        PERFORM cell.command(name, 'ROLLBACK');
      END IF;
    EXCEPTION WHEN OTHERS THEN
      PERFORM cell.leave(name);   -- the report has been read: that a cell is gone by now does not change it
    END;
  END LOOP;
  PERFORM set_config('notilog.in_cells', 'off', true);
END $$;
