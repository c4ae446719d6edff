-- Connects to every other cell from the coordinator's server, as reports do. NL503: a cell does not answer, and the detail says why.
--
-- Runs as the owner, as nobody else may ask cells.
CREATE OR REPLACE FUNCTION notilog.reach_cells() RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM cell.leave(cell.begin(c.cell)) FROM notilog.cell c WHERE c.cell > 0;
END $$;
