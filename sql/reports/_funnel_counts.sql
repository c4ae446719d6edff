-- Notifications by how far they got: what the report funnel counts.
--
-- `stages` has the bits of projection.stage_bits. `engaged` says that the response came within `late`, the time to respond; `young`
-- that there is still time for one. `failure` is the reason why they failed, null of the others. A group can have several rows.
-- `slot` is the number of `late` among the windows that the rollup answers, null if it does not.
CREATE OR REPLACE FUNCTION reporting.funnel_counts(
  app_number integer, from_at timestamptz, to_at timestamptz, late interval, slot integer, filters jsonb, as_of timestamptz)
RETURNS TABLE (stages integer, engaged boolean, young boolean, failure text, notifications bigint)
LANGUAGE plpgsql STABLE ROWS 100 SET jit = off SET enable_seqscan = off SET work_mem = '64MB' AS $$
-- Without sequential scans, as the planner cannot know how little the edges of the range are.
DECLARE
  accepted constant text[] := reporting.notification_dimensions(app_number);
  ranges   record;
  rollup   text := '';
BEGIN
  IF filters = '{}' AND slot IS NOT NULL AND to_regclass('projection.cohort_stage') IS NOT NULL THEN
    rollup := $query$
      SELECT c.stages, c.within BETWEEN 1 AND $7, c.bucket > $6 - $5, NULL, sum(c.notifications)::bigint
      FROM range r
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_stage c WHERE c.app_id = $1 AND c.bucket >= r.from_at AND c.bucket < r.to_at OFFSET 0
      ) c
      WHERE r.grain = 'hour' AND c.stages & 1024 = 0
      GROUP BY 1, 2, 3
      UNION ALL
      $query$;
  END IF;
  -- A notification is immature from a moment after as_of - window on.
  ranges := reporting.ranges(
    (SELECT array_agg(cut) FROM unnest(ARRAY[from_at, as_of - late + interval '1 microsecond', to_at]) AS cut
      WHERE cut BETWEEN from_at AND to_at),
    CASE WHEN rollup <> '' THEN '{hour}'::text[] ELSE '{}' END);
  RETURN QUERY EXECUTE format($query$
    WITH range AS MATERIALIZED (
      SELECT * FROM unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) AS r (grain, from_at, to_at)
    )
    %2$s
    SELECT projection.stage_bits(n.requested_at IS NOT NULL, n.reached_seen, n.reached_assumed, n.delivered, n.presented,
        n.responded, n.dismissed, n.withdrawn, n.suppressed, n.silent, n.failed, n.add_succeeded, n.push_answered,
        n.push_accepted, n.is_push, n.delivery_observable, n.is_alerting, %3$s),
      coalesce(n.responded_at - coalesce(n.shown_at, n.cohort_at) <= $5, false), n.cohort_at > $6 - $5,
      CASE
        WHEN n.failed AND n.add_succeeded THEN coalesce(reporting.rejection(e.last_rejection), 'rejected')
        WHEN n.failed THEN 'add_error' || coalesce(':' || projection.claimed(e.last_error), '')
      END, count(*)
    FROM range r
    CROSS JOIN LATERAL (
      SELECT n.*, projection.is_alerting(n) AS is_alerting FROM projection.notification n
      WHERE r.grain = 'none' AND n.app_id = $1 AND n.cohort_at >= r.from_at AND n.cohort_at < r.to_at
      UNION ALL
      SELECT n.*, projection.is_alerting(n) AS is_alerting FROM projection.notification n
      WHERE r.grain <> 'none' AND n.failed AND n.app_id = $1 AND n.cohort_at >= r.from_at AND n.cohort_at < r.to_at
    ) n
    LEFT JOIN LATERAL (
      SELECT e.last_rejection, e.last_error
      FROM projection.notification_ending e
      WHERE n.failed AND (e.app_id, e.device_id, e.notification_id, e.occurrence) = ($1, n.device_id, n.notification_id, n.occurrence)
      OFFSET 0
    ) e ON true
    WHERE %1$s
    GROUP BY 1, 2, 3, 4
  $query$, reporting.row_filter(filters, accepted, '$8'), rollup,
    CASE WHEN reporting.has_column('projection.notification', 'reach_unknown') THEN 'n.reach_unknown' ELSE 'false' END)
  USING app_number, ranges.grains, ranges.froms, ranges.tos, late, as_of, slot, filters;
END $$;
