-- The partitions that end at or before `horizon`, oldest first, and the readers that have not passed them; held_by is empty
-- if there are none. `projections` are the required checkpoints; a missing one has read nothing.
CREATE OR REPLACE FUNCTION log.retention_plan(horizon timestamptz, projections text[])
RETURNS TABLE (name text, from_at timestamptz, to_at timestamptz, last_position bigint, bytes bigint, held_by text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  FOR name, from_at, to_at IN SELECT p.name, p.from_at, p.to_at FROM log.partitions() p WHERE p.to_at <= horizon LOOP
    EXECUTE format('SELECT coalesce(max(position), 0), pg_total_relation_size(%L) FROM log.%I', 'log.' || name, name)
    INTO last_position, bytes;
    SELECT coalesce(array_agg(format('%s %s at position %s', r.kind, r.name, r.position) ORDER BY r.kind, r.name), '{}')
    INTO held_by
    FROM (
      SELECT 'projection' AS kind, l.name, coalesce(p.position, 0) AS position
      FROM unnest(projections) AS l (name)
      LEFT JOIN log.reader_position p ON p.kind = 'projection' AND p.name = l.name
      UNION ALL
      SELECT p.kind, p.name, p.position FROM log.reader_position p WHERE p.kind <> 'projection'
    ) r
    WHERE r.position < last_position;
    EXECUTE format($set_aside$
      SELECT $1 || coalesce(array_agg(held ORDER BY held), '{}')
      FROM (
        SELECT format('%%s events that %%s.%%s has set aside', count(*), s.schema_name, s.leader) AS held
        FROM projection.set_aside s
        JOIN log.%I USING (position)
        GROUP BY s.schema_name, s.leader
      ) s
    $set_aside$, name) INTO held_by USING held_by;
    RETURN NEXT;
  END LOOP;
END $$;
