-- Names another place of a cell, for services and for whoever asks cells from here: the moment at which the cell is there. Takes a
-- superuser, as cell.prepare() does. NL409: the move was taken back meanwhile.
CREATE OR REPLACE FUNCTION cell.place(number smallint, url text, move uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE notilog.cell c SET url = place.url, target = NULL WHERE c.cell = number AND c.move IS NOT DISTINCT FROM place.move;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the move of cell % was taken back', number USING ERRCODE = 'NL409';
  END IF;
  UPDATE dblink.cell c SET url = place.url WHERE c.cell = number;
END $$;

-- Whether this login may do that.
CREATE OR REPLACE FUNCTION cell.may_place() RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN has_schema_privilege('dblink', 'USAGE') AND has_table_privilege('dblink.cell', 'UPDATE');
END $$;
