-- report: funnel
-- purpose: How far the notifications asked for got, and why the others did not: one row per stage, in their order. What
--   is asked for is in play until it is known to be lost; at each stage, what is in play is either known to have got
--   there (`notifications`) or `unobserved`, and what was in play a stage before is one of the two or `lost`.
-- reads: notification, notification_ending, push_result, log
--
-- parameter: from | time | 30 days before to | an RFC 3339 time, or a date in tz | Notifications from then on
-- parameter: to | time | now | an RFC 3339 time, or a date in tz | Notifications before then
-- parameter: tz | zone | UTC | an IANA time zone | Whose dates
-- parameter: window | duration | P3D | PT1S to P400D | Time to respond: the rates of `responded` count responses within it
-- filters: category, requested_category, trigger, interruption_level, campaign, variant, platform, os_version,
--   app_version, locale
-- table: stage, notifications, share, of_reached, lost, unobserved, lost_by, assumed, outside, console,
--   console_difference
--
-- column: stage | text | | requested (by the app or a provider), accepted (by the provider; what the app asks for itself,
--   by the system), reached (as in `engagement`), delivered, presented, responded
-- column: notifications | bigint | notifications | In play, and known to have got this far, by an event or by a later stage
-- column: share | double precision | fraction | Of those requested, the part that got this far; of responses, those
--   within window
-- column: of_reached | double precision | fraction | Of those reached, the part that got this far; null before that stage
-- column: lost | bigint | notifications | In play a stage before, and known to have got no further
-- column: lost_by | jsonb | notifications | `lost` by reason. requested: add_error (and the name of the UNError). accepted: rejected
--   (and the provider's reason), dead_token, add_error. reached: withdrawn, suppressed, silent, not_alerting, permission_denied.
--   delivered: not_delivered (where a service extension would have told). responded: dismissed, immature (younger than
--   window), no_response
-- column: unobserved | bigint | notifications | In play, but nobody could know whether it got this far: no provider's
--   answer was sent, or iOS tells nothing of it
-- column: assumed | bigint | notifications | Reached by assumption: requested while the settings did not say denied, and
--   no event tells more; null for other stages
-- column: outside | bigint | notifications | That got this far though no request of theirs is known, such as the firings
--   of a schedule; in no other column; null for `requested`
-- column: console | bigint | pushes | What Apple's Push Notifications Console counted at dates in the range, rounded by Apple
--   (`notilog import apns-csv`). accepted: received by APNs. delivered: delivered to devices, from storage too. Null for the
--   other stages, with filters, which it knows nothing of, and where no export speaks of the range
-- column: console_by | jsonb | pushes | What it counted by status, in Apple's words; delivered: also what it stored and
--   discarded, and why
-- column: console_difference | bigint | pushes | `console` less what is known here of the same. accepted: answers of APNs
--   with 200, which counts each push as Apple does. delivered: pushes known to be delivered, which leaves out what iOS told
--   no app
CREATE OR REPLACE FUNCTION report.funnel(
  app text, "from" timestamptz DEFAULT NULL, "to" timestamptz DEFAULT NULL, tz text DEFAULT 'UTC',
  "window" interval DEFAULT '72 hours', filters jsonb DEFAULT '{}', as_of timestamptz DEFAULT now())
RETURNS TABLE (
  stage text, notifications bigint, share double precision, of_reached double precision, lost bigint, lost_by jsonb,
  unobserved bigint, assumed bigint, outside bigint, console bigint, console_by jsonb, console_difference bigint)
LANGUAGE plpgsql STABLE SET jit = off AS $$
DECLARE
  accepted   constant text[] := '{category,requested_category,trigger,interruption_level,campaign,variant,platform,os_version,app_version,locale}';
  app_number integer := report.app_id(app);
  period     record;
  answered   bigint;
  late       interval := (report.window_buckets("window")).microseconds * interval '1 microsecond';
BEGIN
  PERFORM report.time_zone(tz);
  period := report.period("from", "to", as_of);
  IF filters = '{}' AND EXISTS (SELECT FROM report.push_console(app_number, period.from_at, period.to_at)) THEN
    SELECT coalesce(sum(r.results), 0) INTO answered
    FROM report.push_results(app, 'none', period.from_at, period.to_at, 'UTC',
      '{"provider": ["apns"], "status": ["200"]}', as_of) r;
  END IF;
  RETURN QUERY EXECUTE format($query$
    WITH one AS (
      SELECT n.requested_at IS NOT NULL AS asked, n.reached_seen OR n.reached_assumed AS reached, n.reached_assumed AS assumed,
        n.delivered, n.presented, n.responded, n.push_accepted, n.is_push,
        n.responded_at - coalesce(n.shown_at, n.cohort_at) <= $4 AS engaged,
        n.delivered OR n.push_accepted OR NOT n.is_push AS accepted,
        CASE   -- the stage that a notification is known not to have got to
          WHEN n.failed AND NOT n.add_succeeded THEN 1
          WHEN n.failed THEN 2
          WHEN NOT (n.reached_seen OR n.reached_assumed) THEN 3
          WHEN n.delivery_observable AND NOT n.delivered THEN 4
          WHEN NOT n.responded THEN 6
          ELSE 7
        END AS lost_at,
        CASE
          WHEN n.failed AND n.add_succeeded AND n.push_answered AND NOT n.push_accepted THEN coalesce(projection.claimed(e.last_rejection), 'rejected')
          WHEN n.failed THEN 'add_error' || coalesce(': ' || projection.claimed(e.last_error), '')
          WHEN NOT (n.reached_seen OR n.reached_assumed) THEN CASE
            WHEN n.withdrawn THEN 'withdrawn'
            WHEN n.suppressed THEN 'suppressed'
            WHEN n.silent THEN 'silent'
            WHEN NOT coalesce(projection.claimed(n.first_alerting)::boolean, true) THEN 'not_alerting'
            ELSE 'permission_denied' END
          WHEN n.delivery_observable AND NOT n.delivered THEN 'not_delivered'
          WHEN n.responded THEN NULL
          WHEN n.dismissed THEN 'dismissed'
          WHEN n.cohort_at > $5 - $4 THEN 'immature'
          ELSE 'no_response'
        END AS reason
      FROM projection.notification n
      LEFT JOIN projection.notification_ending e ON n.failed
        AND (e.app_id, e.device_id, e.notification_id, e.occurrence) = (n.app_id, n.device_id, n.notification_id, n.occurrence)
      WHERE n.app_id = $1 AND n.cohort_at >= $2 AND n.cohort_at < $3 AND %s
    ), kind AS MATERIALIZED (   -- alike in all that matters
      SELECT asked, reached, assumed, delivered, presented, responded, push_accepted, is_push, engaged, accepted, lost_at,
        reason, count(*) AS notifications
      FROM one
      GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
    ), counted AS (
      SELECT s.place, s.stage,
        coalesce(sum(k.notifications) FILTER (WHERE k.asked AND k.lost_at > s.place AND k.known), 0)::bigint AS notifications,
        coalesce(sum(k.notifications) FILTER (WHERE k.asked AND k.lost_at > s.place AND k.known AND k.counts), 0)::bigint AS counting,
        coalesce(sum(k.notifications) FILTER (WHERE k.asked AND k.lost_at = s.place), 0)::bigint AS lost,
        coalesce(sum(k.notifications) FILTER (WHERE k.asked AND k.lost_at > s.place AND NOT k.known), 0)::bigint AS unobserved,
        coalesce(sum(k.notifications) FILTER (WHERE k.asked AND k.lost_at > s.place AND k.assumed), 0)::bigint AS assumed,
        coalesce(sum(k.notifications) FILTER (WHERE NOT k.asked AND k.apart), 0)::bigint AS outside
      FROM unnest('{requested,accepted,reached,delivered,presented,responded}'::text[]) WITH ORDINALITY AS s (stage, place)
      LEFT JOIN LATERAL (
        SELECT *,
          CASE s.place WHEN 2 THEN accepted WHEN 4 THEN delivered WHEN 5 THEN presented WHEN 6 THEN responded ELSE true END AS known,
          CASE s.place WHEN 6 THEN engaged ELSE true END AS counts,
          CASE s.place WHEN 2 THEN push_accepted WHEN 3 THEN reached WHEN 4 THEN delivered WHEN 5 THEN presented
            WHEN 6 THEN responded ELSE false END AS apart
        FROM kind
      ) k ON true
      GROUP BY s.place, s.stage
    ), why AS (
      SELECT lost_at AS place, jsonb_object_agg(reason, notifications) AS lost_by
      FROM (SELECT lost_at, reason, sum(notifications) AS notifications FROM kind WHERE asked AND lost_at < 7 GROUP BY 1, 2) r
      GROUP BY 1
    )
    SELECT stage, notifications, counting / nullif(first_value(notifications) OVER stages, 0)::double precision,
      CASE WHEN place >= 3 THEN counting / nullif(nth_value(notifications, 3) OVER stages, 0)::double precision END,
      lost, coalesce(lost_by, '{}'), unobserved, CASE place WHEN 3 THEN assumed END, CASE WHEN place > 1 THEN outside END,
      c.pushes, c.by_status, c.pushes - CASE stage WHEN 'accepted' THEN $6
        ELSE (SELECT coalesce(sum(k.notifications), 0)::bigint FROM kind k WHERE k.delivered AND k.is_push) END
    FROM counted
    LEFT JOIN why USING (place)
    LEFT JOIN (SELECT * FROM report.push_console($1, $2, $3) WHERE $6 IS NOT NULL) c USING (stage)
    WINDOW stages AS (ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    ORDER BY place
  $query$, report.filter(filters, (SELECT jsonb_object_agg(name, format('coalesce(n.%I, '''')', name)) FROM unnest(accepted) AS name)))
  USING app_number, period.from_at, period.to_at, late, as_of, answered;
END $$;
