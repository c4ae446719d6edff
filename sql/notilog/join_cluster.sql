-- Makes this database a cell of a cluster, with the lanes whose events it is to have. Its log must be empty, as its positions will end
-- with the cell's number. `others` are the numbers of the other cells. `ledger_secret` is that of the coordinator's ledger of erased
-- devices, null where sessions bring it: an import reads the ledgers of all cells as one. Done again with the same values, it changes
-- nothing.
CREATE OR REPLACE FUNCTION notilog.join_cluster(
  cluster uuid, number smallint, lanes smallint[], others smallint[], ledger_secret bytea DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  here log.state;
BEGIN
  SELECT * INTO here FROM log.state FOR UPDATE;
  IF (here.cluster, here.cell, here.lanes) = (join_cluster.cluster, number, join_cluster.lanes) THEN
    RETURN;
  ELSIF here.cluster IS NOT NULL THEN
    RAISE EXCEPTION 'cell % is cell % of another cluster', number, here.cell USING ERRCODE = 'object_not_in_prerequisite_state';
  ELSIF log.drawn_position() > 0 THEN
    RAISE EXCEPTION 'the log of cell % is not empty: a cluster begins with empty databases', number
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  IF ledger_secret IS NOT NULL THEN
    PERFORM log.adopt_ledger_secret(ledger_secret);
  END IF;
  INSERT INTO log.copied (cell) SELECT unnest(others) ON CONFLICT DO NOTHING;
  UPDATE log.state s SET cluster = join_cluster.cluster, cell = number, lanes = join_cluster.lanes;
END $$;
