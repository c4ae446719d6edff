-- report: removals
-- purpose: Notifications that were removed or left the screen: one row per category and reason, and per interval if
--   requested. A notification removed for two reasons is in both rows; one removed while pending and, after another request,
--   once delivered, counts as both. A sweep of the delivered list finds `gone` notifications, at its time. Those known only by a
--   response or dismissal are counted apart. A row `other` sums everything beyond `limit`.
-- reads: notification, engagement, cohort_event, removal
-- by rows: removals on days of UTC that an interval covers in part; removals and notifications with filters other than category
--
-- parameter: interval
-- parameter: from
-- parameter: to
-- parameter: tz
-- parameter: limit | How many reasons of categories have rows of their own: those with the most notifications over the whole
--   range; all others share one row, `other`
-- filters: $notification_dimensions
-- table: interval_start, category, reason, notifications, share, pending, delivered, withdrawn, responded, delivered_p50
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: category | text | | The category that the person saw; null if the notification carried none
-- column: reason | text | | replaced, removed_by_app, or gone (left the delivered list); null if unknown
-- column: other | boolean | | True in the row of everything beyond `limit`; its category and reason are null
-- column: notifications | bigint | notifications | Removed for that reason; as all other columns, without `response_only`
-- column: response_only | bigint | notifications | Removed for that reason, and known only by a response or dismissal
-- column: rate_denominator | bigint | notifications | All notifications of the category without those known only by a response
--   or dismissal; null in `other`
-- column: share | double precision | fraction | `notifications` ÷ `rate_denominator`; null in `other`
-- column: pending | bigint | notifications | Removed before they were due
-- column: delivered | bigint | notifications | Removed from the delivered list
-- column: unstated | bigint | notifications | Removed from an unknown list
-- column: withdrawn | bigint | notifications | Of `pending`, those never seen: they reached nobody
-- column: responded | bigint | notifications | Responded to as well, before or after
-- column: delivered_p50 | double precision | seconds | Median time from shown_at to the removal from the delivered list, 0 up
--   to 0.1 s, at most 400 days, else within 5 %; for `gone` an upper bound, because only the next sweep finds it; null in
--   `other`
CREATE OR REPLACE FUNCTION report.removals(
  app text, "interval" text DEFAULT 'none', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', filters jsonb DEFAULT '{}', "limit" integer DEFAULT 1000, as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, category text, reason text, other boolean, notifications bigint, response_only bigint, rate_denominator bigint,
  share double precision, pending bigint, delivered bigint, unstated bigint, withdrawn bigint, responded bigint,
  delivered_p50 double precision, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET enable_sort = off SET work_mem = '64MB' AS $$
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app);
  app_number integer := reporting.app_id(app);
  period     record;
  conditions text;
  removed    text;   -- the notifications that were, once per reason
  ranges     record;   -- those that the rollup answers, and the edges
  bounds     bigint[] := projection.latency_bounds();
  is_counted boolean := filters - 'category' = '{}' AND reporting.has_column('projection.cohort_removal_count', 'response_only');
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.divided_period("interval", "from", "to", tz, as_of);
  conditions := reporting.row_filter(filters, accepted, '$6');
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  ranges := reporting.ranges(period.starts || period.to_at, CASE WHEN is_counted THEN '{day}' ELSE '{}'::text[] END);
  IF filters - 'category' = '{}' AND reporting.has_column('projection.cohort_removal', 'response_only') THEN
    removed := format($query$
      SELECT reporting.slot(n.cohort_at, $2) AS slot, coalesce(n.category, '') AS category, n.reason, n.responded, n.response_only,
        n.pending_at IS NOT NULL AS pending,
        n.delivered_at IS NOT NULL AS delivered, n.unstated_at IS NOT NULL AS unstated,
        n.withdrawn AND n.reason <> 'replaced' AND n.pending_at IS NOT NULL AS withdrawn,
        CASE WHEN n.delivered_at IS NOT NULL AND n.shown_at IS NOT NULL THEN reporting.latency(n.shown_at, n.delivered_at, $11) END AS latency,
        1 AS notifications
      FROM unnest($8::text[], $9::timestamptz[], $10::timestamptz[]) AS r (grain, from_at, to_at)
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
      FROM unnest($8::text[], $9::timestamptz[], $10::timestamptz[]) AS r (grain, from_at, to_at)
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_removal_count n WHERE n.app_id = $1 AND n.bucket >= r.from_at AND n.bucket < r.to_at OFFSET 0
      ) n
      WHERE r.grain = 'day' AND reporting.matches(n.category, $6, 'category')$query$;
    END IF;
  ELSE
    removed := format($query$
      SELECT reporting.slot(n.cohort_at, $2) AS slot, coalesce(n.category, '') AS category, r.reason, n.responded, n.response_only,
        bool_or(r.state = 'pending') AS pending, bool_or(r.state = 'delivered') AS delivered, bool_or(r.state = '') AS unstated,
        n.withdrawn AND r.reason <> 'replaced' AND bool_or(r.state = 'pending') AS withdrawn,
        CASE WHEN bool_or(r.state = 'delivered') AND n.shown_at IS NOT NULL THEN
          reporting.latency(n.shown_at, min(r.first_at) FILTER (WHERE r.state = 'delivered'), $11) END AS latency,
        1 AS notifications
      FROM projection.notification_removal r
      JOIN projection.notification n USING (app_id, device_id, notification_id, occurrence)
      WHERE r.app_id = $1 AND n.cohort_at >= $3 AND n.cohort_at < $4 AND %s
      GROUP BY n.app_id, n.device_id, n.notification_id, n.occurrence, r.reason$query$, conditions);
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH removed AS MATERIALIZED (
      %s
    ), counted AS MATERIALIZED (
      SELECT slot, category, reason, sum(known)::bigint AS notifications,
        sum(notifications - known)::bigint AS response_only,
        coalesce(sum(known) FILTER (WHERE pending), 0)::bigint AS pending,
        coalesce(sum(known) FILTER (WHERE delivered), 0)::bigint AS delivered,
        coalesce(sum(known) FILTER (WHERE unstated), 0)::bigint AS unstated,
        coalesce(sum(known) FILTER (WHERE withdrawn), 0)::bigint AS withdrawn,
        coalesce(sum(known) FILTER (WHERE responded), 0)::bigint AS responded
      FROM removed, LATERAL (SELECT CASE WHEN response_only THEN 0 ELSE notifications END AS known) k
      GROUP BY 1, 2, 3
    ), took AS MATERIALIZED (   -- the latency buckets that the medians lie in
      SELECT slot, category, reason, min(latency) FILTER (WHERE upto >= ceil(0.5 * total::double precision)) AS p50
      FROM (
        SELECT slot, category, reason, latency, sum(sum(notifications)) OVER (PARTITION BY slot, category, reason ORDER BY latency) AS upto,
          sum(sum(notifications)) OVER (PARTITION BY slot, category, reason) AS total
        FROM removed
        WHERE latency IS NOT NULL AND NOT response_only
        GROUP BY 1, 2, 3, 4
      ) histogram
      GROUP BY 1, 2, 3
    ), %s, folded AS (
      SELECT c.*, false AS other FROM counted c JOIN key k USING (category, reason) WHERE k.key <= $7
      UNION ALL
      SELECT slot, '', '', sum(notifications)::bigint, sum(response_only)::bigint, sum(pending)::bigint, sum(delivered)::bigint, sum(unstated)::bigint,
        sum(withdrawn)::bigint, sum(responded)::bigint, true
      FROM counted
      JOIN key k USING (category, reason)
      WHERE k.key > $7
      GROUP BY slot
    )
    SELECT $5[slot], nullif(category, ''), nullif(reason, ''), other, c.notifications, c.response_only,
      CASE WHEN NOT other THEN a.notifications - a.response_only END,
      CASE WHEN NOT other THEN c.notifications / nullif(a.notifications - a.response_only, 0)::double precision END, pending, delivered,
      unstated, withdrawn, c.responded,
      CASE WHEN NOT other AND p50 IS NOT NULL THEN reporting.latency_seconds(least(p50, cardinality($11) - 1), $11) END,
      (SELECT count(*) FROM key)
    FROM folded c
    LEFT JOIN reporting.counts_by_category($1, $2, $4, $6) a USING (slot, category)
    LEFT JOIN took USING (slot, category, reason)
    ORDER BY slot, other, nullif(category, '') NULLS LAST, nullif(reason, '') NULLS LAST
  $query$, removed, reporting.keys('counted', '{category,reason}', 'notifications', '$7'))
  USING app_number, period.starts, period.from_at, period.to_at, period.labels, filters, "limit", ranges.grains, ranges.froms,
    ranges.tos, bounds;
END $$;
