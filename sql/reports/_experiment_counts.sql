-- Devices that got a variant of a group, and the sums over them of which rates and their variances are made: what the report
-- experiment counts, one row per category, campaign (or the dimensions) and variant.
--
-- `by_1` and `by_2` are '' for null. `assigned` are the devices that got this variant before any other of the group, `crossed_devices`
-- those that got another as well. Of each device, m is how many notifications of the variant reached it, and x how many of these `metric`
-- counts; `n` are the devices with an m above 0, and the columns from `m` to `mm` are sums over devices. Those that begin with shared_
-- are sums over the devices that got the control as well, of the variant's x or m times the control's; null if there are none.
CREATE OR REPLACE FUNCTION reporting.experiment_counts(
  app_number integer, dimensions text[], metric text, control text, from_at timestamptz, to_at timestamptz, "window" interval,
  filters jsonb, as_of timestamptz)
RETURNS TABLE (
  by_1 text, by_2 text, variant text, devices bigint, crossed_devices bigint, assigned bigint, assigned_crossed bigint,
  n bigint, m numeric, x numeric, young bigint, xx numeric, xm numeric, mm numeric,
  shared_xx numeric, shared_xm numeric, shared_mx numeric, shared_mm numeric)
LANGUAGE plpgsql STABLE ROWS 1000 SET jit = off SET enable_nestloop = off SET enable_mergejoin = off SET parallel_tuple_cost = 0.01
  SET work_mem = '64MB' AS $$
DECLARE
  conditions text := reporting.row_filter(filters, reporting.notification_dimensions(app_number), '$9');
  slot       integer := reporting.window_slot("window");
  whole_from timestamptz;   -- the days that variant_pair answers
  whole_to   timestamptz;
  arms       text;   -- the CTEs unit, crossed and counted
BEGIN
  IF dimensions = '{category,campaign}' AND metric = 'engagement_rate' AND slot IS NOT NULL
    AND filters - 'category' - 'campaign' - 'variant' = '{}' AND to_regclass('projection.variant_pair') IS NOT NULL THEN
    SELECT r.from_at, r.to_at INTO whole_from, whole_to
    FROM reporting.rollup_ranges(ARRAY[from_at, to_at], '{day}') r
    WHERE r.grain = 'day' AND r.to_at - r.from_at <= interval '2208 hours';
  END IF;

  IF whole_from IS NULL THEN
    arms := format($query$
    unit AS MATERIALIZED (   -- a device: what of a variant reached it, and what it made of that
      SELECT %1$s AS by_1, %2$s AS by_2, n.variant, n.device_id,
        count(*) FILTER (WHERE n.reached_seen OR n.reached_assumed) AS m,
        count(*) FILTER (WHERE (n.reached_seen OR n.reached_assumed)
          AND n.responded_at - coalesce(n.shown_at, n.cohort_at) <= $4
          AND CASE $10 WHEN 'open_rate' THEN n.opened WHEN 'action_rate' THEN n.acted WHEN 'reply_rate' THEN n.replied
            WHEN 'app_open_rate' THEN n.app_opened ELSE true END) AS x,
        count(*) FILTER (WHERE (n.reached_seen OR n.reached_assumed) AND n.cohort_at > $5 - $4) AS young,
        min(n.cohort_at) AS first_at
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at >= $2 AND n.cohort_at < $3 AND n.variant IS NOT NULL
        AND NOT n.response_only AND %3$s
      GROUP BY 1, 2, 3, 4
    ), crossed AS MATERIALIZED (   -- devices that got several variants of the group
      SELECT by_1, by_2, device_id, (array_agg(variant ORDER BY first_at, variant COLLATE "C"))[1] AS first_variant
      FROM unit
      GROUP BY 1, 2, 3 HAVING count(*) > 1
    ), counted AS (
      SELECT by_1, by_2, variant, devices, is_crossed, is_first, CASE WHEN m > 0 THEN devices ELSE 0 END AS n, m * devices AS m,
        x * devices AS x, young * devices AS young, x * x * devices AS xx, x * m * devices AS xm, m * m * devices AS mm
      FROM (   -- few, as many as are alike
        SELECT by_1, by_2, variant, m, x, young, c.device_id IS NOT NULL AS is_crossed,
          c.first_variant IS NULL OR c.first_variant = variant AS is_first, count(*)::numeric AS devices
        FROM unit
        LEFT JOIN crossed c USING (by_1, by_2, device_id)
        GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
      ) alike
    )$query$, reporting.dimension_key(dimensions, 1), reporting.dimension_key(dimensions, 2), conditions);
  ELSE
    -- Devices that the rollup does not answer are taken out of it, and counted by row. Text, as columns are chosen.
    SELECT format($query$
    edge AS MATERIALIZED (
      SELECT coalesce(n.category, '') AS by_1, coalesce(n.campaign, '') AS by_2, n.variant, n.device_id,
        count(*) FILTER (WHERE n.reached_seen OR n.reached_assumed) AS m,
        count(*) FILTER (WHERE (n.reached_seen OR n.reached_assumed) AND n.responded_at - coalesce(n.shown_at, n.cohort_at) <= $4) AS x,
        count(*) FILTER (WHERE (n.reached_seen OR n.reached_assumed) AND n.cohort_at > $5 - $4) AS young
      FROM (
        SELECT * FROM projection.notification n WHERE n.app_id = $1 AND n.cohort_at >= $2 AND n.cohort_at < $7
        UNION ALL
        SELECT * FROM projection.notification n WHERE n.app_id = $1 AND n.cohort_at >= $8 AND n.cohort_at < $3
      ) n
      WHERE n.variant IS NOT NULL AND NOT n.response_only AND %1$s
      GROUP BY 1, 2, 3, 4
    ), pair AS MATERIALIZED (
      SELECT n.category AS by_1, n.campaign AS by_2, n.variant,
        sum(n.devices) FILTER (WHERE n.other_day < $7) AS devices,
        coalesce(sum(n.reached_devices) FILTER (WHERE n.other_day < $7), 0) AS n, sum(n.reached) AS m, sum(n.%2$I) AS x,
        coalesce(sum(n.reached) FILTER (WHERE n.day > $5 - $4), 0) AS young,
        coalesce(sum(n.%4$I) FILTER (WHERE n.other_day >= $7), 0) AS xx,
        coalesce(sum(n.%3$I) FILTER (WHERE n.other_day >= $7), 0) AS xm,
        coalesce(sum(n.reached_reached) FILTER (WHERE n.other_day >= $7), 0) AS mm
      FROM projection.variant_pair n
      WHERE n.app_id = $1 AND n.day >= $7 AND n.day < $8 AND reporting.matches(n.category, $9, 'category')
        AND reporting.matches(n.campaign, $9, 'campaign') AND reporting.matches(n.variant, $9, 'variant')
      GROUP BY 1, 2, 3
    ), single AS MATERIALIZED (
      SELECT by_1, by_2, device_id FROM edge
      UNION
      SELECT c.category, c.campaign, c.device_id
      FROM (SELECT DISTINCT by_1, by_2 FROM pair) p
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a group
        SELECT * FROM projection.variant_crossed c WHERE (c.app_id, c.category, c.campaign) = ($1, p.by_1, p.by_2) OFFSET 0
      ) c
    ), inside AS MATERIALIZED (
      SELECT s.by_1, s.by_2, n.variant, s.device_id, sum(n.reached)::bigint AS m, sum(n.%2$I)::bigint AS x
      FROM single s
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan each
        SELECT * FROM projection.variant_day n
        WHERE (n.app_id, n.device_id, n.category, n.campaign) = ($1, s.device_id, s.by_1, s.by_2) AND n.day >= $7 AND n.day < $8
        OFFSET 0
      ) n
      WHERE reporting.matches(n.category, $9, 'category') AND reporting.matches(n.campaign, $9, 'campaign')
        AND reporting.matches(n.variant, $9, 'variant')
      GROUP BY 1, 2, 3, 4
    ), unit AS MATERIALIZED (   -- one of those devices: what of a variant reached it, and what it made of that
      SELECT by_1, by_2, variant, device_id, sum(m)::bigint AS m, sum(x)::bigint AS x
      FROM (
        SELECT by_1, by_2, variant, device_id, m, x FROM inside
        UNION ALL
        SELECT by_1, by_2, variant, device_id, m, x FROM edge
      ) part
      GROUP BY 1, 2, 3, 4
    ), several AS MATERIALIZED (   -- those of them that got several variants of the group
      SELECT by_1, by_2, device_id FROM unit GROUP BY 1, 2, 3 HAVING count(*) > 1
    ), crossed AS MATERIALIZED (   -- with that of the earliest
      SELECT DISTINCT ON (s.by_1, s.by_2, s.device_id) s.by_1, s.by_2, s.device_id, n.variant AS first_variant
      FROM several s
      LEFT JOIN (
        SELECT coalesce(n.category, '') AS by_1, coalesce(n.campaign, '') AS by_2, n.device_id, n.variant, n.cohort_at
        FROM (SELECT DISTINCT device_id FROM several) d
        CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a device, however many its groups are
          SELECT * FROM projection.notification n
          WHERE n.app_id = $1 AND n.device_id = d.device_id AND n.cohort_at >= $2 AND n.cohort_at < $3
          OFFSET 0
        ) n
        WHERE n.variant IS NOT NULL AND NOT n.response_only AND %1$s
      ) n ON (n.by_1, n.by_2, n.device_id) = (s.by_1, s.by_2, s.device_id)
      ORDER BY s.by_1, s.by_2, s.device_id, n.cohort_at, n.variant COLLATE "C"
    ), counted AS (
      SELECT by_1, by_2, variant, devices, false AS is_crossed, true AS is_first, n, m, x, young, xx, xm, mm FROM pair
      UNION ALL
      SELECT by_1, by_2, variant, -1, false, true, CASE WHEN m > 0 THEN -1 ELSE 0 END, -m, -x, 0, -x * x, -x * m, -m * m FROM inside
      UNION ALL
      SELECT by_1, by_2, variant, 1, c.device_id IS NOT NULL, c.first_variant IS NULL OR c.first_variant = variant,
        CASE WHEN m > 0 THEN 1 ELSE 0 END, m, x, 0, x * x, x * m, m * m
      FROM unit
      LEFT JOIN crossed c USING (by_1, by_2, device_id)
      UNION ALL
      SELECT by_1, by_2, variant, 0, false, false, 0, 0, 0, young, 0, 0, 0 FROM edge
      UNION ALL   -- of the day on which notifications come of age, the later ones
      SELECT coalesce(n.category, ''), coalesce(n.campaign, ''), n.variant, 0, false, false, 0, 0, 0, count(*), 0, 0, 0
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at > $5 - $4 AND n.cohort_at >= $7
        AND n.cohort_at < least($8, date_bin('1 day', $5 - $4, 'epoch') + interval '24 hours')
        AND (n.reached_seen OR n.reached_assumed) AND n.variant IS NOT NULL AND NOT n.response_only AND %1$s
      GROUP BY 1, 2, 3
    )$query$, conditions, 'within_' || w.name, 'reached_within_' || w.name, 'within_within_' || w.name)
    INTO arms
    FROM unnest('{1h,6h,1d,3d,7d,30d}'::text[]) WITH ORDINALITY AS w (name, ordinal) WHERE w.ordinal = slot;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH %s, arm AS (
      SELECT by_1, by_2, variant, sum(devices)::bigint AS devices,
        coalesce(sum(devices) FILTER (WHERE is_crossed), 0)::bigint AS crossed_devices,
        coalesce(sum(devices) FILTER (WHERE is_first), 0)::bigint AS assigned,
        coalesce(sum(devices) FILTER (WHERE is_first AND is_crossed), 0)::bigint AS assigned_crossed,
        sum(n)::bigint AS n, sum(m) AS m, sum(x) AS x, sum(young)::bigint AS young, sum(xx) AS xx, sum(xm) AS xm, sum(mm) AS mm
      FROM counted
      GROUP BY by_1, by_2, variant
    ), shared AS (   -- what devices that got both a variant and the control make the two rates have in common
      SELECT by_1, by_2, v.variant, sum(v.x * c.x) AS shared_xx, sum(v.x * c.m) AS shared_xm, sum(v.m * c.x) AS shared_mx, sum(v.m * c.m) AS shared_mm
      FROM (SELECT * FROM unit JOIN crossed USING (by_1, by_2, device_id)) v
      JOIN (SELECT * FROM unit JOIN crossed USING (by_1, by_2, device_id)) c USING (by_1, by_2, device_id)
      WHERE v.variant <> $6 AND c.variant = $6
      GROUP BY by_1, by_2, v.variant
    )
    SELECT a.*, shared_xx, shared_xm, shared_mx, shared_mm
    FROM arm a
    LEFT JOIN shared USING (by_1, by_2, variant)
  $query$, arms)
  USING app_number, from_at, to_at, "window", as_of, control, whole_from, whole_to, filters, metric;
END $$;
