-- Distinct devices that notifications reached, and those that responded: what the report engagement counts of devices.
--
-- `slot` is the number of the interval; intervals begin at `starts` and end at `ends`. `grains` and `dimension` are those of
-- reporting.engagement_counts. Only groups that are kept are counted: `key` is their place in `kept_1` and `kept_2`, the values of
-- their dimensions, '' for null.
CREATE OR REPLACE FUNCTION reporting.engagement_device_counts(
  app_number integer, starts timestamptz[], ends timestamptz[], grains text[], dimensions text[], dimension text, kept_1 text[],
  kept_2 text[], filters jsonb)
RETURNS TABLE (slot integer, key integer, devices bigint, engaged_devices bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_seqscan = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
-- Without sequential scans, as the planner cannot know how little the edges of the range are; and without nested loops,
-- but where nothing else is possible, as it cannot know how many keys there are.
DECLARE
  conditions text := reporting.row_filter(filters, reporting.notification_dimensions(app_number), '$6');
  devices    text;   -- the query that counts them
BEGIN
  -- By category, presence has been counted for whole days; only what is left of each interval is read one by one.
  IF grains <> '{}' AND dimensions = '{category}' AND dimension = '' AND to_regclass('projection.presence_count') IS NOT NULL THEN
    devices := format($query$, span AS MATERIALIZED (
      SELECT s.*, s.day_s < s.day_e AS has_days
      FROM (
        SELECT slot::integer, begins, ends, date_bin('1 day', begins + interval '24 hours' - interval '1 microsecond', 'epoch') AS day_s,
          date_bin('1 day', ends, 'epoch') AS day_e
        FROM unnest($2, $3::timestamptz[]) WITH ORDINALITY AS i (begins, ends, slot)
      ) s
    ), edge AS MATERIALIZED (
      SELECT s.slot, s.has_days, s.day_s, s.day_e, n.device_id, coalesce(n.category, '') AS category,
        bool_or(reached_seen OR reached_assumed) AS reached, bool_or(responded) AS responded
      FROM span s
      CROSS JOIN LATERAL (VALUES (s.begins, CASE WHEN s.has_days THEN s.day_s ELSE s.ends END),
        (CASE WHEN s.has_days THEN s.day_e END, s.ends)) AS r (from_at, to_at)
      %s
      JOIN key k ON k.by_1 = coalesce(n.category, '')
      WHERE r.from_at < r.to_at AND (reached_seen OR reached_assumed OR responded) AND %s
      GROUP BY 1, 2, 3, 4, 5, 6
    )
    SELECT slot, key, coalesce(sum(devices) FILTER (WHERE what = 'reached'), 0)::bigint,
      coalesce(sum(devices) FILTER (WHERE what = 'responded'), 0)::bigint
    FROM (
      SELECT s.slot, e.category, e.what, sum(e.devices) AS devices
      FROM span s
      CROSS JOIN LATERAL (
        SELECT * FROM projection.presence_count c
        WHERE c.app_id = $1 AND c.day >= s.day_s AND c.day < s.day_e AND c.previous_day < s.day_s
        OFFSET 0
      ) e
      WHERE s.has_days AND reporting.matches(e.category, $6, 'category')
      GROUP BY 1, 2, 3
      UNION ALL
      -- Of the devices at the edges, those on none of the whole days; OFFSET keeps it to one index lookup each.
      SELECT e.slot, e.category, e.what, count(*)
      FROM (
        SELECT e.slot, e.category, w.what, e.has_days AND EXISTS (
          SELECT FROM projection.presence p
          WHERE (p.app_id, p.device_id, p.category, p.what) = ($1, e.device_id, e.category, w.what)
            AND p.day >= e.day_s AND p.day < e.day_e) AS is_counted
        FROM edge e
        CROSS JOIN LATERAL (VALUES ('reached', e.reached), ('responded', e.responded)) AS w (what, is_so)
        WHERE w.is_so
        OFFSET 0
      ) e
      WHERE NOT e.is_counted
      GROUP BY 1, 2, 3
    ) part
    JOIN key k ON k.by_1 = part.category
    GROUP BY 1, 2$query$, reporting.rows_of_ranges(true), conditions);
  ELSE
    devices := format($query$
    SELECT slot, key, count(*) FILTER (WHERE reached), count(*) FILTER (WHERE responded)
    FROM (
      SELECT reporting.slot(n.cohort_at, $2) AS slot, %1$s AS by_1, %2$s AS by_2, n.device_id,
        bool_or(reached_seen OR reached_assumed) AS reached, bool_or(responded) AS responded
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at >= $2[1] AND n.cohort_at < $3[cardinality($3)]
        AND (reached_seen OR reached_assumed OR responded) AND %3$s
      GROUP BY 1, 2, 3, 4
    ) each
    JOIN key k USING (by_1, by_2)
    GROUP BY 1, 2$query$, reporting.dimension_key(dimensions, 1), reporting.dimension_key(dimensions, 2), conditions);
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH key AS MATERIALIZED (
      SELECT by_1, by_2, key::integer FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS k (by_1, by_2, key)
    )%s
  $query$, devices)
  USING app_number, starts, ends, kept_1, kept_2, filters;
END $$;
