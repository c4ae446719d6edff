-- The events that the version now being applied held from its beginning, as the baseline did then: those received before
-- `floor`, as far as their partitions' last position, and of those received before `next_floor` the ones up to `upto`. Copies of events
-- of other cells may have come later than that: they are still to be applied.
CREATE OR REPLACE FUNCTION projection.begun(OUT floor timestamptz, OUT held bigint, OUT next_floor timestamptz, OUT upto bigint)
LANGUAGE sql STABLE AS $$
  SELECT b.floor, (SELECT coalesce(max(p.last_position), 0) FROM log.dropped_partition p WHERE p.to_at <= b.floor), b.next_floor, b.upto
  FROM (
    SELECT coalesce(max(v.floor), '-infinity') AS floor, coalesce(max(v.next_floor), '-infinity') AS next_floor,
      coalesce(max(v.position), 0) AS upto
    FROM baseline.begun v
    WHERE (v.schema_name, v.leader) = (current_schema()::text, current_setting('notilog.projection', true))
  ) b
$$;
