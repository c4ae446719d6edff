-- Records up to which position events of this log were copied to a cell, and which positions the projections there and here have to
-- reach for that to be in them. Of another incarnation of that cell's log what is recorded is replaced, and nothing is applied yet.
CREATE OR REPLACE FUNCTION log.copied_to(cell smallint, incarnation uuid, upto bigint, awaited bigint, awaited_here bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO log.copied AS c (cell, position, incarnation, awaited, awaited_here) VALUES (cell, upto, incarnation, awaited, awaited_here)
  ON CONFLICT ON CONSTRAINT copied_pkey
  DO UPDATE SET position = excluded.position, incarnation = excluded.incarnation, awaited = excluded.awaited,
    awaited_here = excluded.awaited_here,
    applied = CASE WHEN c.incarnation IS DISTINCT FROM excluded.incarnation THEN 0 ELSE c.applied END
$$;

-- Records that the copies of events up to a position are applied in a cell.
CREATE OR REPLACE FUNCTION log.copies_applied(cell smallint, upto bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE log.copied c SET applied = greatest(c.applied, upto) WHERE c.cell = copies_applied.cell
$$;
