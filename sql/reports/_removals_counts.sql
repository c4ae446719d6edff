-- Removed notifications by category, reason and how long they were shown: what the report removals counts.
--
-- Intervals begin at `starts` and end at `to_at`; `slot` is the number of one. `category` and `reason` are '' where there is none.
-- `latency` is the bucket, by its `bounds`, of the time from shown_at to the removal from the delivered list, null where that is
-- unknown. Only `response_only` counts those known only by a response or dismissal.
CREATE OR REPLACE FUNCTION reporting.removals_counts(
  app_number integer, starts timestamptz[], to_at timestamptz, filters jsonb, bounds bigint[])
RETURNS TABLE (
  slot integer, category text, reason text, latency integer, notifications bigint, response_only bigint, pending bigint, delivered bigint,
  unstated bigint, withdrawn bigint, responded bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET enable_sort = off SET work_mem = '64MB' AS $$
DECLARE
  conditions text := reporting.row_filter(filters, reporting.notification_dimensions(app_number), '$7');
  removed    text;   -- the notifications that were, once per reason
  ranges     record;   -- those that the rollup answers, and the edges
  is_counted boolean := filters - 'category' = '{}' AND reporting.has_column('projection.cohort_removal_count', 'response_only');
BEGIN
  ranges := reporting.ranges(starts || to_at, CASE WHEN is_counted THEN '{day}' ELSE '{}'::text[] END);
  IF filters - 'category' = '{}' AND reporting.has_column('projection.cohort_removal', 'response_only') THEN
    removed := format($query$
      SELECT reporting.slot(n.cohort_at, $2) AS slot, coalesce(n.category, '') AS category, n.reason, n.responded, n.response_only,
        n.pending_at IS NOT NULL AS pending,
        n.delivered_at IS NOT NULL AS delivered, n.unstated_at IS NOT NULL AS unstated,
        n.withdrawn AND n.reason <> 'replaced' AND n.pending_at IS NOT NULL AS withdrawn,
        CASE WHEN n.delivered_at IS NOT NULL AND n.shown_at IS NOT NULL
          THEN projection.latency_bucket(n.shown_at, n.delivered_at, $8) END AS latency,
        1 AS notifications
      FROM unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) AS r (grain, from_at, to_at)
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_removal n
        WHERE n.app_id = $1 AND n.cohort_at >= r.from_at AND n.cohort_at < r.to_at
        OFFSET 0
      ) n
      WHERE r.grain = 'none' AND %s$query$, conditions);
    IF is_counted THEN
      removed := removed || $query$
      UNION ALL
      SELECT width_bucket(n.bucket, $2), n.category, n.reason, n.responded, n.response_only, n.pending, n.delivered, n.unstated,
        n.withdrawn AND n.reason <> 'replaced', nullif(n.latency, -1), n.notifications
      FROM unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) AS r (grain, from_at, to_at)
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_removal_count n WHERE n.app_id = $1 AND n.bucket >= r.from_at AND n.bucket < r.to_at OFFSET 0
      ) n
      WHERE r.grain = 'day' AND reporting.matches(n.category, $7, 'category')$query$;
    END IF;
  ELSE
    removed := format($query$
      SELECT reporting.slot(n.cohort_at, $2) AS slot, coalesce(n.category, '') AS category, r.reason, n.responded, n.response_only,
        bool_or(r.state = 'pending') AS pending, bool_or(r.state = 'delivered') AS delivered, bool_or(r.state = '') AS unstated,
        n.withdrawn AND r.reason <> 'replaced' AND bool_or(r.state = 'pending') AS withdrawn,
        CASE WHEN bool_or(r.state = 'delivered') AND n.shown_at IS NOT NULL THEN
          projection.latency_bucket(n.shown_at, min(r.first_at) FILTER (WHERE r.state = 'delivered'), $8) END AS latency,
        1 AS notifications
      FROM projection.notification_removal r
      JOIN projection.notification n USING (app_id, device_id, notification_id, occurrence)
      WHERE r.app_id = $1 AND n.cohort_at >= $2[1] AND n.cohort_at < $3 AND %s
      GROUP BY n.app_id, n.device_id, n.notification_id, n.occurrence, r.reason$query$, conditions);
  END IF;

  RETURN QUERY EXECUTE format($query$
    SELECT slot, category, reason, latency, sum(known)::bigint, sum(notifications - known)::bigint,
      coalesce(sum(known) FILTER (WHERE pending), 0)::bigint, coalesce(sum(known) FILTER (WHERE delivered), 0)::bigint,
      coalesce(sum(known) FILTER (WHERE unstated), 0)::bigint, coalesce(sum(known) FILTER (WHERE withdrawn), 0)::bigint,
      coalesce(sum(known) FILTER (WHERE responded), 0)::bigint
    FROM (%s
    ) removed, LATERAL (SELECT CASE WHEN response_only THEN 0 ELSE notifications END AS known) k
    GROUP BY 1, 2, 3, 4
  $query$, removed)
  USING app_number, starts, to_at, ranges.grains, ranges.froms, ranges.tos, filters, bounds;
END $$;
