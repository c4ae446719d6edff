-- The events that projections have set aside, by group of projections.
CREATE OR REPLACE FUNCTION notilog.set_aside_events()
RETURNS TABLE (leader text, events bigint, first_position bigint, error text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF to_regclass('projection.set_aside') IS NOT NULL THEN
    RETURN QUERY
    SELECT a.leader, count(*), min(a.position), (array_agg(a.error ORDER BY a.position))[1]
    FROM projection.set_aside a
    GROUP BY a.leader;
  END IF;
END $$;
