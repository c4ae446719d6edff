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
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app);
  app_number integer := reporting.app_id(app);
  period     record;
  bounds     bigint[] := projection.latency_bounds();
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.divided_period("interval", "from", "to", tz, as_of);
  PERFORM reporting.filters(filters, accepted);
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH part AS MATERIALIZED (
      SELECT * FROM reporting.removals_counts($1, $2, $3, $4, $7)
    ), counted AS MATERIALIZED (
      SELECT slot, category, reason, sum(notifications)::bigint AS notifications, sum(response_only)::bigint AS response_only,
        sum(pending)::bigint AS pending, sum(delivered)::bigint AS delivered, sum(unstated)::bigint AS unstated,
        sum(withdrawn)::bigint AS withdrawn, sum(responded)::bigint AS responded
      FROM part
      GROUP BY 1, 2, 3
    ), took AS MATERIALIZED (   -- the latency buckets that the medians lie in
      SELECT slot, category, reason, min(latency) FILTER (WHERE upto >= ceil(0.5 * total::double precision)) AS p50
      FROM (
        SELECT slot, category, reason, latency, sum(sum(notifications)) OVER (PARTITION BY slot, category, reason ORDER BY latency) AS upto,
          sum(sum(notifications)) OVER (PARTITION BY slot, category, reason) AS total
        FROM part
        WHERE latency IS NOT NULL AND notifications > 0
        GROUP BY 1, 2, 3, 4
      ) histogram
      GROUP BY 1, 2, 3
    ), %s, folded AS (
      SELECT c.*, false AS other FROM counted c JOIN key k USING (category, reason) WHERE k.key <= $6
      UNION ALL
      SELECT slot, '', '', sum(notifications)::bigint, sum(response_only)::bigint, sum(pending)::bigint, sum(delivered)::bigint,
        sum(unstated)::bigint, sum(withdrawn)::bigint, sum(responded)::bigint, true
      FROM counted
      JOIN key k USING (category, reason)
      WHERE k.key > $6
      GROUP BY slot
    )
    SELECT $5[slot], nullif(category, ''), nullif(reason, ''), other, c.notifications, c.response_only,
      CASE WHEN NOT other THEN a.notifications - a.response_only END,
      CASE WHEN NOT other THEN c.notifications / nullif(a.notifications - a.response_only, 0)::double precision END, pending, delivered,
      unstated, withdrawn, c.responded,
      CASE WHEN NOT other AND p50 IS NOT NULL THEN reporting.latency_seconds(least(p50, cardinality($7) - 1), $7) END,
      (SELECT count(*) FROM key)
    FROM folded c
    LEFT JOIN (
      SELECT slot, category, sum(notifications)::bigint AS notifications, sum(response_only)::bigint AS response_only
      FROM reporting.category_counts($1, $2, $3, $4)
      GROUP BY 1, 2
    ) a USING (slot, category)
    LEFT JOIN took USING (slot, category, reason)
    ORDER BY slot, other, nullif(category, '') COLLATE "C" NULLS LAST, nullif(reason, '') COLLATE "C" NULLS LAST
  $query$, reporting.keys('counted', '{category,reason}', 'notifications', '$6'))
  USING app_number, period.starts, period.to_at, filters, period.labels, "limit", bounds;
END $$;
