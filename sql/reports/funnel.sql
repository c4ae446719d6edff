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
--   not_alerting, add_error (and yet a later stage is known), permission_denied. delivered: not_delivered (where a service
--   extension would have told). responded: dismissed, immature (younger than window), no_response. The 20 reasons with the most
--   notifications; other has those of all others
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
LANGUAGE plpgsql STABLE SET jit = off AS $$
DECLARE
  app_number integer := reporting.app_id(app);
  period     record;
  answered   bigint;
  late       interval := (reporting.window_buckets("window")).length;
BEGIN
  PERFORM reporting.time_zone(tz);
  period := reporting.period("from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  PERFORM reporting.filters(filters, reporting.notification_dimensions(app));
  IF filters = '{}' AND period.from_at < period.to_at AND EXISTS (SELECT FROM reporting.push_console(app_number, period.from_at, period.to_at)) THEN
    SELECT coalesce(sum(r.results), 0) INTO answered
    FROM report.push_results(app, "from" => reporting.utc(period.from_at), "to" => reporting.utc(period.to_at), tz => tz,
      filters => '{"provider": ["apns"], "status": ["200"]}', as_of => as_of) r;
  END IF;
  RETURN QUERY EXECUTE $query$
    WITH staged AS (
      SELECT stages & 1 > 0 AS asked, stages & 6 > 0 AS reached, stages & 4 > 0 AS assumed, stages & 8 > 0 AS delivered,
        stages & 16 > 0 AS presented, stages & 32 > 0 AS responded, stages & 64 > 0 AS dismissed, stages & 128 > 0 AS withdrawn,
        stages & 256 > 0 AS suppressed, stages & 512 > 0 AS silent, stages & 1024 > 0 AS failed,
        stages & 2048 > 0 AS add_succeeded, stages & 8192 > 0 AS push_accepted, stages & 16384 > 0 AS is_push,
        stages & 32768 > 0 AS delivery_observable, stages & 65536 > 0 AS alerting,
        stages & 131072 > 0 AS reach_unknown, engaged, young, failure, notifications
      FROM reporting.funnel_counts($1, $3, $4, $5, $6, $7, $8)
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
            WHEN NOT add_succeeded THEN 'add_error'   -- and yet a later stage is known
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
      FROM (
        SELECT lost_at, CASE WHEN rank <= 20 THEN reason ELSE 'other' END AS reason, sum(notifications) AS notifications
        FROM (   -- errors of apps are whatever they say
          SELECT lost_at, reason, sum(notifications) AS notifications,
            row_number() OVER (PARTITION BY lost_at ORDER BY sum(notifications) DESC, reason COLLATE "C") AS rank
          FROM kind
          WHERE asked AND lost_at < 7
          GROUP BY 1, 2
        ) r
        GROUP BY 1, 2
      ) r
      GROUP BY 1
    )
    SELECT stage, notifications, counting, counting / nullif(first_value(notifications) OVER stages, 0)::double precision,
      CASE WHEN slot >= 3 THEN counting / nullif(nth_value(notifications, 3) OVER stages, 0)::double precision END,
      lost, coalesce(lost_by, '{}'), unobserved, CASE slot WHEN 3 THEN assumed END, CASE WHEN slot > 1 THEN outside END,
      c.pushes, c.by_status, c.pushes - CASE stage WHEN 'accepted' THEN $2
        ELSE (SELECT coalesce(sum(k.notifications), 0)::bigint FROM kind k WHERE k.delivered AND k.is_push) END
    FROM counted
    LEFT JOIN why USING (slot)
    LEFT JOIN (SELECT * FROM reporting.push_console($1, $3, $4) WHERE $2 IS NOT NULL) c USING (stage)
    WINDOW stages AS (ORDER BY slot ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    ORDER BY slot
  $query$
  USING app_number, answered, period.from_at, period.to_at, late, reporting.window_slot("window"), filters, as_of;
END $$;
