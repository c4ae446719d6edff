-- Records up to which position events of this log were copied to a cell, and which position of its log its projections have to reach.
CREATE OR REPLACE FUNCTION log.copied_to(cell smallint, upto bigint, awaited bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO log.copied AS c (cell, position, awaited) VALUES (cell, upto, awaited)
  ON CONFLICT ON CONSTRAINT copied_pkey
  DO UPDATE SET position = greatest(c.position, excluded.position), awaited = greatest(c.awaited, excluded.awaited)
$$;

-- Records that the copies of events up to a position are applied in a cell.
CREATE OR REPLACE FUNCTION log.copies_applied(cell smallint, upto bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE log.copied c SET applied = greatest(c.applied, upto) WHERE c.cell = copies_applied.cell
$$;
