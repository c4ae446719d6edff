-- Weeks of devices by how many notifications reached the device: what the report frequency counts.
--
-- Weeks begin at `starts`, of which the last is where the last week ends. `labels` are the intervals that they are in, all null
-- where the range is not divided. `size` is the number of the greatest of `least_of` that is no more than reached the device in the
-- week. `engaged` are notifications responded to within `window`, `active` weeks with one. A device is once in `devices` for each
-- label and size. `opt_outs` is null where nobody opted out.
CREATE OR REPLACE FUNCTION reporting.frequency_counts(
  app_number integer, starts timestamptz[], labels timestamptz[], least_of integer[], "window" interval, filters jsonb, as_of timestamptz)
RETURNS TABLE (
  label timestamptz, size integer, device_weeks bigint, devices bigint, reached bigint, engaged bigint, active bigint, opt_outs numeric)
LANGUAGE plpgsql STABLE ROWS 100 SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  slot        integer := reporting.window_slot("window");   -- of the window, where the rollup answers it
  conditions  text := reporting.row_filter(filters, reporting.notification_dimensions(app_number), '$7');
  device_week text;   -- what reached each device in each week
  again       text := 'MATERIALIZED';   -- unless it is there to be read as often as it takes
BEGIN
  IF filters = '{}' AND slot IS NOT NULL AND to_regclass('projection.device_week') IS NOT NULL
    AND NOT EXISTS (SELECT FROM unnest(starts) AS s (start) WHERE start <> date_bin('7 days', start, '1970-01-05T00:00:00Z')) THEN
    again := 'NOT MATERIALIZED';
    device_week := $query$
      SELECT w.device_id, w.week AS start, w.reached,
        CASE $9 WHEN 1 THEN w.within_1h WHEN 2 THEN w.within_6h WHEN 3 THEN w.within_1d
          WHEN 4 THEN w.within_3d WHEN 5 THEN w.within_7d ELSE w.within_30d END AS engaged
      FROM projection.device_week w
      WHERE w.app_id = $1 AND w.week >= $2[1] AND w.week < $2[cardinality($2)]$query$;
  ELSE
    device_week := format($query$
      SELECT n.device_id, $2[width_bucket(n.cohort_at, $2)] AS start, count(*)::integer AS reached,
        (count(*) FILTER (WHERE n.responded_at <= coalesce(n.shown_at, n.cohort_at) + $5))::integer AS engaged
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at >= $2[1] AND n.cohort_at < $2[cardinality($2)]
        AND (n.reached_seen OR n.reached_assumed) AND %s
      GROUP BY 1, 2$query$, conditions);
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH device_week AS %4$s (
      %3$s
    ), opted_out AS MATERIALIZED (
      SELECT s.device_id, $2[width_bucket(s.cohort_at, $2)] AS start, sum(s.share) AS share
      FROM reporting.setting_shares($1, '{authorization_status}', $2[1], $4, $7 <> '{}') s
      %2$s
      WHERE s.setting = 'authorization_status' AND s.cohort_at >= $2[1] AND s.cohort_at < $2[cardinality($2)] AND %1$s
      GROUP BY 1, 2
    ), shared AS (
      SELECT $3[width_bucket(d.start, $2)] AS label, width_bucket(d.reached, $6) AS size, sum(o.share) AS opt_outs
      FROM opted_out o
      JOIN device_week d USING (device_id, start)
      GROUP BY 1, 2
    ), counted AS (
      SELECT $3[width_bucket(start, $2)] AS label, width_bucket(reached, $6) AS size, sum(device_weeks)::bigint AS device_weeks,
        sum(reached * device_weeks)::bigint AS reached, sum(engaged)::bigint AS engaged, sum(active)::bigint AS active
      FROM (   -- few, as many as are alike
        SELECT start, reached, count(*) AS device_weeks, sum(engaged) AS engaged, count(*) FILTER (WHERE engaged > 0) AS active
        FROM device_week
        GROUP BY 1, 2
      ) alike
      GROUP BY 1, 2
    ), sized AS (   -- each device once for every size of week that it had
      SELECT label, size, sum(devices)::bigint AS devices
      FROM (
        SELECT label, sizes, count(*) AS devices
        FROM (
          SELECT CASE WHEN $8 THEN NULL ELSE $3[width_bucket(start, $2)] END AS label,
            bit_or(1 << width_bucket(reached, $6)) AS sizes
          FROM device_week
          GROUP BY device_id, 1
        ) device
        GROUP BY 1, 2
      ) alike
      JOIN generate_series(1, cardinality($6)) AS s (size) ON (sizes >> size) & 1 = 1
      GROUP BY 1, 2
    )
    SELECT c.label, c.size, device_weeks, devices, reached, engaged, active, opt_outs
    FROM counted c
    JOIN sized d ON d.size = c.size AND d.label IS NOT DISTINCT FROM c.label
    LEFT JOIN shared s ON s.size = c.size AND s.label IS NOT DISTINCT FROM c.label
  $query$, conditions,
    -- Only filters need the notifications.
    CASE WHEN filters <> '{}' THEN
      'CROSS JOIN LATERAL (   -- OFFSET keeps it to one look-up each
        SELECT * FROM projection.notification n
        WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = ($1, s.device_id, s.notification_id, s.occurrence)
        OFFSET 0
      ) n' ELSE '' END, device_week, again)
  USING app_number, starts, labels, as_of, "window", least_of, filters, labels[1] IS NULL, slot;
END $$;
