-- The events that the version now being applied held from its beginning, as the baseline did then: those received before
-- `floor`, and of those received before `next_floor` the ones up to `upto`.
CREATE OR REPLACE FUNCTION projection.begun(OUT floor timestamptz, OUT next_floor timestamptz, OUT upto bigint)
LANGUAGE sql STABLE AS $$
  SELECT coalesce(max(v.floor), '-infinity'), coalesce(max(v.next_floor), '-infinity'), coalesce(max(v.position), 0)
  FROM baseline.begun v
  WHERE (v.schema_name, v.leader) = (current_schema()::text, current_setting('notilog.projection', true))
$$;
