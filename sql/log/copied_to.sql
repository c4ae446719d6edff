-- Records up to which position events of this log were copied to a cell, and which positions the projections there and here have to
-- reach for that to be in them. Of another incarnation of that cell's log what is recorded is replaced, and nothing is applied yet. Of the
-- same one nothing goes back: a copier that was frozen may come after the one that took over.
CREATE OR REPLACE FUNCTION log.copied_to(cell smallint, incarnation uuid, upto bigint, awaited bigint, awaited_here bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO log.copied AS c (cell, position, incarnation, awaited, awaited_here) VALUES (cell, upto, incarnation, awaited, awaited_here)
  ON CONFLICT ON CONSTRAINT copied_pkey
  DO UPDATE SET incarnation = excluded.incarnation,
    position = CASE WHEN c.incarnation = excluded.incarnation THEN greatest(c.position, excluded.position) ELSE excluded.position END,
    awaited = CASE WHEN c.incarnation = excluded.incarnation THEN greatest(c.awaited, excluded.awaited) ELSE excluded.awaited END,
    awaited_here = CASE WHEN c.incarnation = excluded.incarnation THEN greatest(c.awaited_here, excluded.awaited_here)
      ELSE excluded.awaited_here END,
    applied = CASE WHEN c.incarnation IS DISTINCT FROM excluded.incarnation THEN 0 ELSE c.applied END
$$;

-- Records that the copies of events up to a position are applied in a cell.
CREATE OR REPLACE FUNCTION log.copies_applied(cell smallint, upto bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE log.copied c SET applied = greatest(c.applied, upto) WHERE c.cell = copies_applied.cell
$$;
