-- report: removals
-- purpose: Notifications that were removed or left the screen: one row per category and reason, and per interval if
--   requested. A notification removed for two reasons is in both rows; one removed while pending and, after another request,
--   once delivered, counts as both. A sweep of the delivered list finds `gone` notifications, at its time. A row `other` sums
--   everything beyond `limit`.
-- reads: notification, engagement, cohort_event, removal
-- by rows: removals, each one; notifications with filters other than category
--
-- parameter: interval | choice | none | none, hour, day, week, month | Rows per interval of local time
-- parameter: from | time | 30 days before to | an RFC 3339 time, or a date in tz | Notifications at or after this time
-- parameter: to | time | now | an RFC 3339 time, or a date in tz | Notifications before this time
-- parameter: tz | zone | UTC | an IANA time zone | Time zone of dates and intervals
-- parameter: limit | whole | 1000 | 1 to 10000 | How many reasons of categories have rows of their own: those with the most
--   notifications over the whole range; all others share one row, `other`
-- filters: category, requested_category, trigger, interruption_level, campaign, variant, platform, os_version, app_version,
--   locale
-- table: interval_start, category, reason, notifications, share, pending, delivered, withdrawn, responded, delivered_p50
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: category | text | | The category that the person saw; null if the notification carried none
-- column: reason | text | | replaced, removed_by_app, or gone (left the delivered list); null if unknown
-- column: other | boolean | | True in the row of everything beyond `limit`; its category and reason are null
-- column: notifications | bigint | notifications | Removed for that reason
-- column: share | double precision | fraction | Share of all notifications of the category; null in `other`
-- column: pending | bigint | notifications | Removed before they were due
-- column: delivered | bigint | notifications | Removed from the delivered list
-- column: unstated | bigint | notifications | Removed from an unknown list
-- column: withdrawn | bigint | notifications | Of `pending`, those never seen: they reached nobody
-- column: responded | bigint | notifications | Responded to as well, before or after
-- column: delivered_p50 | double precision | seconds | Median time from shown_at to the removal from the delivered list; for
--   `gone` an upper bound, because only the next sweep finds it; null in `other`
CREATE OR REPLACE FUNCTION report.removals(
  app text, "interval" text DEFAULT 'none', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', filters jsonb DEFAULT '{}', "limit" integer DEFAULT 1000, as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, category text, reason text, other boolean, notifications bigint, share double precision, pending bigint,
  delivered bigint, unstated bigint, withdrawn bigint, responded bigint, delivered_p50 double precision,
  rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET enable_sort = off SET work_mem = '64MB' AS $$
DECLARE
  accepted   constant text[] := '{category,requested_category,trigger,interruption_level,campaign,variant,platform,os_version,app_version,locale}';
  app_number integer := reporting.app_id(app);
  period     record;
  starts     timestamptz[];
  labels     timestamptz[];
  conditions text;
  slot      text;
  removed    text;   -- the notifications that were, once per reason
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.period("from", "to", tz, as_of);
  SELECT array_agg(i.begins ORDER BY i.begins), array_agg(i.interval_start ORDER BY i.begins) INTO starts, labels
  FROM reporting.intervals("interval", period.from_at, period.to_at, tz) i;
  conditions := reporting.filter(filters,
    (SELECT jsonb_object_agg(name, format('coalesce(n.%I, '''')', name)) FROM unnest(accepted) AS name));
  IF starts IS NULL THEN
    RETURN;
  END IF;
  slot := CASE WHEN cardinality(starts) = 1 THEN '1' ELSE 'width_bucket(n.cohort_at, $2)' END;

  IF filters - 'category' = '{}' AND to_regclass('projection.cohort_removal') IS NOT NULL THEN
    removed := format($query$
      SELECT %1$s AS slot, coalesce(n.category, '') AS category, n.reason, n.responded, n.pending_at IS NOT NULL AS pending,
        n.delivered_at IS NOT NULL AS delivered, n.unstated_at IS NOT NULL AS unstated,
        n.withdrawn AND n.reason <> 'replaced' AND n.pending_at IS NOT NULL AS withdrawn,
        n.delivered_at - n.shown_at AS after
      FROM projection.cohort_removal n
      WHERE n.app_id = $1 AND n.cohort_at >= $3 AND n.cohort_at < $4 AND %2$s$query$, slot, conditions);
  ELSE
    removed := format($query$
      SELECT %1$s AS slot, coalesce(n.category, '') AS category, r.reason, n.responded,
        bool_or(r.state = 'pending') AS pending, bool_or(r.state = 'delivered') AS delivered, bool_or(r.state = '') AS unstated,
        n.withdrawn AND r.reason <> 'replaced' AND bool_or(r.state = 'pending') AS withdrawn,
        min(r.first_at) FILTER (WHERE r.state = 'delivered') - n.shown_at AS after
      FROM projection.notification_removal r
      JOIN projection.notification n USING (app_id, device_id, notification_id, occurrence)
      WHERE r.app_id = $1 AND n.cohort_at >= $3 AND n.cohort_at < $4 AND %2$s
      GROUP BY n.app_id, n.device_id, n.notification_id, n.occurrence, r.reason$query$, slot, conditions);
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH removed AS (
      %s
    ), counted AS MATERIALIZED (
      SELECT slot, category, reason, count(*) AS notifications, count(*) FILTER (WHERE pending) AS pending,
        count(*) FILTER (WHERE delivered) AS delivered, count(*) FILTER (WHERE unstated) AS unstated,
        count(*) FILTER (WHERE withdrawn) AS withdrawn, count(*) FILTER (WHERE responded) AS responded,
        -- In microseconds; sorted apart, so that rows need not be sorted by what they are grouped by.
        array_agg(greatest((date_part('epoch', after) * 1000000)::bigint, 0)) FILTER (WHERE after IS NOT NULL) AS afters
      FROM removed
      GROUP BY 1, 2, 3
    ), %s, folded AS (
      SELECT c.*, false AS other FROM counted c JOIN key k USING (category, reason) WHERE k.key <= $7
      UNION ALL
      SELECT slot, '', '', sum(notifications)::bigint, sum(pending)::bigint, sum(delivered)::bigint, sum(unstated)::bigint,
        sum(withdrawn)::bigint, sum(responded)::bigint, NULL, true
      FROM counted
      JOIN key k USING (category, reason)
      WHERE k.key > $7
      GROUP BY slot
    )
    SELECT $5[slot], nullif(category, ''), nullif(reason, ''), other, c.notifications,
      CASE WHEN NOT other THEN c.notifications / nullif(a.notifications, 0)::double precision END, pending, delivered, unstated,
      withdrawn, c.responded, m.after / 1e6::double precision, (SELECT count(*) FROM key)
    FROM folded c
    LEFT JOIN reporting.counts_by_category($1, $2, $4, $6) a USING (slot, category)
    LEFT JOIN LATERAL (
      SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY a.after) AS after FROM unnest(afters) AS a (after)
    ) m ON true
    ORDER BY slot, other, nullif(category, '') NULLS LAST, nullif(reason, '') NULLS LAST
  $query$, removed, reporting.keys('counted', '{category,reason}', 'notifications', '$7'))
  USING app_number, starts, period.from_at, period.to_at, labels, filters, "limit";
END $$;
