-- The notifications of some categories on which each button was used: what the report categories counts of actions.
--
-- Intervals begin at `starts` and end at `to_at`; `slot` is the number of one. `category` is '' for notifications without one.
CREATE OR REPLACE FUNCTION reporting.categories_action_counts(
  app_number integer, starts timestamptz[], to_at timestamptz, filters jsonb, categories text[])
RETURNS TABLE (slot integer, category text, action_id text, notifications bigint)
LANGUAGE plpgsql STABLE ROWS 100 SET jit = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
BEGIN
  RETURN QUERY EXECUTE format(CASE WHEN filters - 'category' = '{}' AND to_regclass('projection.cohort_action') IS NOT NULL THEN $query$
    SELECT reporting.slot(n.cohort_at, $2), coalesce(n.category, ''), n.action_id, count(*)
    FROM projection.cohort_action n
    WHERE n.app_id = $1 AND n.cohort_at >= $2[1] AND n.cohort_at < $3 AND NOT n.is_dismissal
      AND n.action_id <> 'default' AND coalesce(n.category, '') = ANY ($5) AND %s
    GROUP BY 1, 2, 3$query$
  ELSE $query$
    SELECT reporting.slot(n.cohort_at, $2), coalesce(n.category, ''), a.action_id, count(*)
    FROM projection.notification n
    CROSS JOIN LATERAL (   -- OFFSET keeps it to one index lookup each
      SELECT * FROM projection.notification_action a
      WHERE (a.app_id, a.device_id, a.notification_id, a.occurrence) = ($1, n.device_id, n.notification_id, n.occurrence)
      OFFSET 0
    ) a
    WHERE n.app_id = $1 AND n.cohort_at >= $2[1] AND n.cohort_at < $3 AND n.responded AND a.action_id <> 'default'
      AND coalesce(n.category, '') = ANY ($5) AND %s
    GROUP BY 1, 2, 3$query$
  END, reporting.row_filter(filters, reporting.notification_dimensions(app_number), '$4'))
  USING app_number, starts, to_at, filters, categories;
END $$;
