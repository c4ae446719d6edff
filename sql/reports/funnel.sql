-- report: funnel
-- purpose: How far the requested notifications got, and why the others did not: one row per stage, in order. A requested
--   notification is in play until it is known to be lost. At each stage, a notification in play is either known to have
--   reached it (`notifications`) or `unobserved`; those in play one stage before are one of the two or `lost`.
-- reads: notification, cohort, notification_ending, push_result, log
-- by rows: notifications with filters, with another window than PT1H, PT6H, P1D, P3D, P7D and P30D, and those that failed
--
-- parameter: from
-- parameter: to
-- parameter: tz | Time zone of dates
-- parameter: window | Time to respond: the rates of `responded` count responses within it
-- parameter: mature
-- filters: $notification_dimensions
-- table: stage, notifications, share, of_reached, lost, unobserved, lost_by, assumed, outside, console, console_difference
-- in window: notifications_in_window
-- growing: notifications of responded
--
-- column: stage | text | | requested (by the app or a provider), accepted (by the provider; the app's own requests by the
--   system), reached (as in `engagement`, and what a response proves), delivered, presented, responded
-- column: notifications | bigint | notifications | In play, and known to have reached this stage, by an event or by a later
--   stage
-- column: notifications_in_window | bigint | notifications | Of `notifications`, those that rates count: for responses, within
--   window; else all
-- column: share | double precision | fraction | `notifications_in_window` ÷ `notifications` of requested
-- column: of_reached | double precision | fraction | `notifications_in_window` ÷ `notifications` of reached; null before that
--   stage
-- column: lost | bigint | notifications | In play one stage before, and known to have got no further
-- column: lost_by | jsonb | notifications | `lost` by reason, as verdicts name it. requested: `add_error:` and the case of
--   UNError. accepted: `rejected:` and the provider's reason, dead_token, add_error. reached: withdrawn, suppressed, silent,
--   not_alerting, permission_denied. delivered: not_delivered (where a service extension would have told). responded: dismissed,
--   immature (younger than window), no_response
-- column: unobserved | bigint | notifications | In play, but nobody could know whether it reached this stage: no provider's
--   answer was sent, it has a location trigger or an unknown date, or iOS does not report it
-- column: assumed | bigint | notifications | Reached by assumption: requested with a known due time while the settings were
--   not denied, without further events; null for other stages
-- column: outside | bigint | notifications | Notifications that reached this stage without a known request, such as the
--   firings of a schedule; in no other column; null for `requested`
-- column: console | bigint | pushes | Counts of Apple's Push Notifications Console for dates in the range, rounded by Apple
--   (`notilog import apns-csv`). accepted: received by APNs. delivered: delivered to devices, including from storage. Null for
--   the other stages, with filters, which the console does not have, and if no export covers the range
-- column: console_by | jsonb | pushes | Its counts by status, in Apple's words; delivered: also those stored and discarded,
--   and why
-- column: console_difference | bigint | pushes | `console` minus the same count here. accepted: answers of APNs with 200,
--   which count each push as Apple does. delivered: pushes known to be delivered, without those that iOS reported to no app
CREATE OR REPLACE FUNCTION report.funnel(
  app text, "from" text DEFAULT NULL, "to" text DEFAULT NULL, tz text DEFAULT 'UTC',
  "window" interval DEFAULT '72 hours', mature boolean DEFAULT false, filters jsonb DEFAULT '{}', as_of timestamptz DEFAULT now())
RETURNS TABLE (
  stage text, notifications bigint, notifications_in_window bigint, share double precision, of_reached double precision, lost bigint, lost_by jsonb,
  unobserved bigint, assumed bigint, outside bigint, console bigint, console_by jsonb, console_difference bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_seqscan = off SET work_mem = '64MB' AS $$
-- Without sequential scans, as the planner cannot know how little the edges of the range are.
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app);
  app_number integer := reporting.app_id(app);
  period     record;
  answered   bigint;
  late       interval := (reporting.window_buckets("window")).length;
  slot      integer := reporting.window_slot("window");   -- of the window, where the rollup answers it
  ranges     record;
  rollup     text := '';
BEGIN
  PERFORM reporting.time_zone(tz);
  period := reporting.period("from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  IF filters = '{}' AND period.from_at < period.to_at AND EXISTS (SELECT FROM reporting.push_console(app_number, period.from_at, period.to_at)) THEN
    SELECT coalesce(sum(r.results), 0) INTO answered
    FROM report.push_results(app, "from" => reporting.utc(period.from_at), "to" => reporting.utc(period.to_at), tz => tz,
      filters => '{"provider": ["apns"], "status": ["200"]}', as_of => as_of) r;
  END IF;
  IF filters = '{}' AND slot IS NOT NULL AND to_regclass('projection.cohort_stage') IS NOT NULL THEN
    rollup := $query$
      SELECT c.stages, c.within BETWEEN 1 AND $8, c.bucket > $5 - $4, NULL, sum(c.notifications)::bigint
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
    (SELECT array_agg(cut) FROM unnest(ARRAY[period.from_at, as_of - late + interval '1 microsecond', period.to_at]) AS cut
      WHERE cut BETWEEN period.from_at AND period.to_at),
    CASE WHEN rollup <> '' THEN '{hour}'::text[] ELSE '{}' END);
  RETURN QUERY EXECUTE format($query$
    WITH range AS MATERIALIZED (
      SELECT * FROM unnest($2::text[], $3::timestamptz[], $7::timestamptz[]) AS r (grain, from_at, to_at)
    ), alike (stages, engaged, young, failure, notifications) AS MATERIALIZED (   -- those that failed are grouped by reason, which is kept for each
      %2$s
      SELECT projection.stage_bits(n.requested_at IS NOT NULL, n.reached_seen, n.reached_assumed, n.delivered, n.presented,
          n.responded, n.dismissed, n.withdrawn, n.suppressed, n.silent, n.failed, n.add_succeeded, n.push_answered,
          n.push_accepted, n.is_push, n.delivery_observable, n.is_alerting, %3$s),
        coalesce(n.responded_at - coalesce(n.shown_at, n.cohort_at) <= $4, false), n.cohort_at > $5 - $4,
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
    ), staged AS (
      SELECT stages & 1 > 0 AS asked, stages & 6 > 0 AS reached, stages & 4 > 0 AS assumed, stages & 8 > 0 AS delivered,
        stages & 16 > 0 AS presented, stages & 32 > 0 AS responded, stages & 64 > 0 AS dismissed, stages & 128 > 0 AS withdrawn,
        stages & 256 > 0 AS suppressed, stages & 512 > 0 AS silent, stages & 1024 > 0 AS failed,
        stages & 2048 > 0 AS add_succeeded, stages & 8192 > 0 AS push_accepted, stages & 16384 > 0 AS is_push,
        stages & 32768 > 0 AS delivery_observable, stages & 65536 > 0 AS alerting,
        stages & 131072 > 0 AS reach_unknown, engaged, young, failure, notifications
      FROM alike
    ), kind AS MATERIALIZED (
      SELECT *, delivered OR push_accepted OR NOT is_push AS accepted,
        CASE   -- the stage that a notification is known not to have got to
          WHEN failed AND NOT add_succeeded THEN 1
          WHEN failed THEN 2
          WHEN NOT reached AND NOT reach_unknown THEN 3
          WHEN delivery_observable AND NOT delivered THEN 4
          WHEN NOT responded THEN 6
          ELSE 7
        END AS lost_at,
        CASE
          WHEN failed THEN failure
          WHEN NOT reached AND NOT reach_unknown THEN CASE
            WHEN withdrawn THEN 'withdrawn'
            WHEN suppressed THEN 'suppressed'
            WHEN silent THEN 'silent'
            WHEN NOT alerting THEN 'not_alerting'
            ELSE 'permission_denied' END
          WHEN delivery_observable AND NOT delivered THEN 'not_delivered'
          WHEN responded THEN NULL
          WHEN dismissed THEN 'dismissed'
          WHEN young THEN 'immature'
          ELSE 'no_response'
        END AS reason
      FROM staged
    ), counted AS (
      SELECT s.slot, s.stage,
        coalesce(sum(k.notifications) FILTER (WHERE k.asked AND k.lost_at > s.slot AND k.known), 0)::bigint AS notifications,
        coalesce(sum(k.notifications) FILTER (WHERE k.asked AND k.lost_at > s.slot AND k.known AND k.counts), 0)::bigint AS counting,
        coalesce(sum(k.notifications) FILTER (WHERE k.asked AND k.lost_at = s.slot), 0)::bigint AS lost,
        coalesce(sum(k.notifications) FILTER (WHERE k.asked AND k.lost_at > s.slot AND NOT k.known), 0)::bigint AS unobserved,
        coalesce(sum(k.notifications) FILTER (WHERE k.asked AND k.lost_at > s.slot AND k.assumed), 0)::bigint AS assumed,
        coalesce(sum(k.notifications) FILTER (WHERE NOT k.asked AND k.apart), 0)::bigint AS outside
      FROM unnest('{requested,accepted,reached,delivered,presented,responded}'::text[]) WITH ORDINALITY AS s (stage, slot)
      LEFT JOIN LATERAL (
        SELECT *,
          CASE s.slot WHEN 2 THEN accepted WHEN 3 THEN NOT reach_unknown OR delivered WHEN 4 THEN delivered WHEN 5 THEN presented WHEN 6 THEN responded ELSE true END AS known,
          CASE s.slot WHEN 6 THEN engaged ELSE true END AS counts,
          CASE s.slot WHEN 2 THEN push_accepted WHEN 3 THEN reached WHEN 4 THEN delivered WHEN 5 THEN presented
            WHEN 6 THEN responded ELSE false END AS apart
        FROM kind
      ) k ON true
      GROUP BY s.slot, s.stage
    ), why AS (
      SELECT lost_at AS slot, jsonb_object_agg(reason, notifications) AS lost_by
      FROM (SELECT lost_at, reason, sum(notifications) AS notifications FROM kind WHERE asked AND lost_at < 7 GROUP BY 1, 2) r
      GROUP BY 1
    )
    SELECT stage, notifications, counting, counting / nullif(first_value(notifications) OVER stages, 0)::double precision,
      CASE WHEN slot >= 3 THEN counting / nullif(nth_value(notifications, 3) OVER stages, 0)::double precision END,
      lost, coalesce(lost_by, '{}'), unobserved, CASE slot WHEN 3 THEN assumed END, CASE WHEN slot > 1 THEN outside END,
      c.pushes, c.by_status, c.pushes - CASE stage WHEN 'accepted' THEN $6
        ELSE (SELECT coalesce(sum(k.notifications), 0)::bigint FROM kind k WHERE k.delivered AND k.is_push) END
    FROM counted
    LEFT JOIN why USING (slot)
    LEFT JOIN (SELECT * FROM reporting.push_console($1, $9, $10) WHERE $6 IS NOT NULL) c USING (stage)
    WINDOW stages AS (ORDER BY slot ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    ORDER BY slot
  $query$, reporting.row_filter(filters, accepted, '$11'), rollup,
    CASE WHEN reporting.has_column('projection.notification', 'reach_unknown') THEN 'n.reach_unknown' ELSE 'false' END)
  USING app_number, ranges.grains, ranges.froms, late, as_of, answered, ranges.tos, slot, period.from_at, period.to_at,
    filters;
END $$;
