-- What became of one notification and why, link by link, in their order: a function of the events. Of several firings the newest,
-- unless one is named. No row where there is no such notification.
--
-- A delivery proves the provider and the token; a presentation or response proves settings and delivery too. Mere silence is
-- unknown. Evidence is positions of events that the log still has, and periods of settings or of a token.
CREATE OR REPLACE FUNCTION notilog.verdict(app integer, device text, notification text, firing timestamptz DEFAULT NULL)
RETURNS TABLE (occurrence timestamptz, link text, verdict text, reason text, at timestamptz, evidence jsonb)
LANGUAGE sql STABLE AS $$
  WITH fact AS MATERIALIZED (
    SELECT n.*, projection.is_alerting(n) AS alerts, n.responded OR n.dismissed AS answered,
      least(n.responded_at, n.dismissed_at) AS answered_at,
      reporting.settings_at(app, device, n.cohort_at) AS packed
    FROM projection.notification n
    WHERE (n.app_id, n.device_id, n.notification_id) = (app, device, notification) AND n.occurrence <> 'infinity'
      AND (firing IS NULL OR n.occurrence = firing)
    ORDER BY n.occurrence DESC LIMIT 1
  ), event AS MATERIALIZED (   -- its own, each kind in the tie order
    SELECT e.kind, e.position, e.effective_at, row_number() OVER (PARTITION BY e.kind ORDER BY e.effective_at, e.id) AS ordinal
    FROM log.upcast_event e
    JOIN fact f ON coalesce(e.occurrence, '-infinity') = f.occurrence
    WHERE (e.app_id, e.device_id, e.notification_id) = (app, device, notification)
      AND NOT (e.kind = 'request' AND e.data#>>'{trigger,repeats}' IS NOT DISTINCT FROM 'true')
  ), told AS (   -- the first twenty of each kind
    SELECT kind, jsonb_agg(log.given(position) ORDER BY ordinal) AS positions, min(effective_at) AS first_at
    FROM event WHERE ordinal <= 20 GROUP BY kind
  ), answer AS (   -- what the provider and the system said
    SELECT reporting.rejection(e.last_rejection) AS rejection, projection.claimed(e.last_error) AS error
    FROM projection.notification_ending e
    JOIN fact f USING (app_id, device_id, notification_id, occurrence)
  ), period AS (   -- the settings in force, and since when the device was denied
    SELECT p.first_at, p.last_at, (
      SELECT min(d.first_at)
      FROM projection.device_period d
      WHERE (d.app_id, d.device_id, d.series) = (app, device, 'settings') AND (d.first_at, d.first_id) <= (p.first_at, p.first_id)
        AND (l.first_at IS NULL OR (d.first_at, d.first_id) > (l.first_at, l.first_id))) AS denied_since
    FROM fact f
    CROSS JOIN LATERAL (
      SELECT d.* FROM projection.device_period d
      WHERE (d.app_id, d.device_id, d.series) = (app, device, 'settings') AND d.first_at <= f.cohort_at
      ORDER BY d.first_at DESC, d.first_id DESC LIMIT 1
    ) p
    LEFT JOIN LATERAL (   -- the last settings by then that did not deny
      SELECT d.first_at, d.first_id FROM projection.device_period d
      WHERE (d.app_id, d.device_id, d.series) = (app, device, 'settings') AND (d.first_at, d.first_id) <= (p.first_at, p.first_id)
        AND d.value->>'authorization_status' IS DISTINCT FROM 'denied'
      ORDER BY d.first_at DESC, d.first_id DESC LIMIT 1
    ) l ON true
  ), token AS (
    SELECT bool_and(r.token IS NOT NULL) AS named,
      bool_or(t.registered_at <= f.cohort_at AND NOT reporting.is_ended_token(app, device, r.token, f.cohort_at, true)) AS registered,
      jsonb_agg(jsonb_build_object('from', reporting.utc(t.registered_at), 'to', reporting.utc(t.ended_at)) ORDER BY t.registered_at, t.ended_at)
        FILTER (WHERE t.registered_at IS NOT NULL) AS periods,
      bool_and(reporting.is_ended_token(app, device, r.token, f.cohort_at, false)) AS ended,
      bool_and(reporting.is_ended_token(app, device, r.token, f.cohort_at, true)) AS replaced,
      bool_and(reporting.is_misdirected_token(app, device, r.token, f.cohort_at)) AS misdirected
    FROM fact f
    CROSS JOIN LATERAL (   -- NULL among them where a request names none: it may have gone to another
      SELECT DISTINCT e.token FROM log.event e
      WHERE (e.app_id, e.device_id, e.notification_id, e.kind) = (app, device, notification, 'request')
        AND coalesce(e.occurrence, '-infinity') = f.occurrence
        AND coalesce(e.data, e.data_text::jsonb)#>>'{trigger,repeats}' IS DISTINCT FROM 'true'
    ) r
    LEFT JOIN projection.device_token t ON (t.app_id, t.device_id, t.token) = (app, device, r.token)
  ), known AS (
    SELECT f.*, a.rejection, a.error, coalesce(t.named, false) AS named, coalesce(t.registered, false) AS registered,
      coalesce(t.ended, false) AS ended, coalesce(t.replaced, false) AS replaced, coalesce(t.misdirected, false) AS misdirected, t.periods,
      p.first_at AS settings_at, p.last_at AS settings_to, p.denied_since,
      reporting.reach_class(f.packed, f.interruption_level, false) AS class, reporting.setting(f.packed, 'authorization_status') AS status,
      EXISTS (
        SELECT FROM projection.notification s
        WHERE (s.app_id, s.device_id, s.notification_id, s.occurrence) = (app, device, notification, 'infinity')) AS fires
    FROM fact f
    LEFT JOIN answer a ON true
    LEFT JOIN token t ON true
    LEFT JOIN period p ON true
  ), chain AS (
    SELECT 1 AS ordinal, 'requested' AS link, k.occurrence, requested_at AS at, '{request}'::text[] AS kinds, NULL::jsonb AS periods, CASE
        WHEN add_succeeded THEN '{yes,requested}'::text[]
        WHEN add_failed AND failed THEN ARRAY['no', 'add_error' || coalesce(':' || error, '')]
        WHEN add_failed THEN '{yes,proven_later}'::text[]
        WHEN fires AND k.occurrence <> '-infinity' THEN '{yes,repeating_request}'::text[]
        ELSE '{unknown,no_request}'::text[] END AS said
    FROM known k
    UNION ALL
    SELECT 2, 'provider', k.occurrence, (SELECT first_at FROM told WHERE kind = 'push_result'), '{push_result}', NULL, CASE
        WHEN NOT is_push AND NOT push_answered THEN '{not_applicable,local}'::text[]
        WHEN push_accepted THEN '{yes,accepted}'::text[]
        WHEN delivered THEN '{yes,proven_later}'::text[]
        WHEN push_answered THEN ARRAY['no', coalesce(rejection, 'rejected')]
        ELSE '{unknown,no_answer}'::text[] END
    FROM known k
    UNION ALL
    SELECT 3, 'token', k.occurrence, NULL, '{}', periods, CASE
        WHEN NOT is_push AND NOT push_answered THEN '{not_applicable,local}'::text[]
        WHEN delivered AND ended THEN '{yes,proven_later}'::text[]
        WHEN delivered THEN '{yes,delivered}'::text[]
        WHEN ended OR rejection = 'dead_token' AND NOT push_accepted THEN '{no,token_ended}'::text[]
        WHEN NOT push_accepted AND rejection IN (
          'rejected:BadDeviceToken', 'rejected:DeviceTokenNotForTopic', 'rejected:SENDER_ID_MISMATCH', 'rejected:MismatchSenderId')
          THEN '{no,token_misdirected}'::text[]
        WHEN replaced THEN '{unknown,token_superseded}'::text[]
        WHEN misdirected THEN '{unknown,token_misdirected}'::text[]
        WHEN registered THEN '{yes,token_registered}'::text[]
        WHEN named THEN '{unknown,token_not_registered}'::text[]
        ELSE '{unknown,token_not_named}'::text[] END
    FROM known k
    UNION ALL
    SELECT 4, 'settings', k.occurrence, CASE status WHEN 'denied' THEN denied_since ELSE settings_at END, '{}',
      CASE WHEN settings_at IS NOT NULL THEN jsonb_build_array(jsonb_build_object('from', reporting.utc(settings_at), 'to', reporting.utc(settings_to))) END, CASE
        WHEN NOT alerts THEN '{not_applicable,not_alerting}'::text[]
        WHEN status = 'denied' AND withdrawn THEN '{not_applicable,withdrawn}'::text[]
        WHEN status = 'denied' AND (reached_seen OR suppressed OR silent OR answered) THEN '{yes,proven_later}'::text[]
        WHEN status = 'denied' THEN '{no,denied_since}'::text[]
        WHEN presented AND class IN ('none', 'unknown') THEN '{yes,proven_later}'::text[]
        WHEN status = 'not_determined' THEN '{unknown,not_determined}'::text[]
        WHEN class = 'none' THEN '{unknown,everything_off}'::text[]
        WHEN class = 'unknown' THEN ARRAY['unknown', CASE WHEN settings_at IS NULL THEN 'no_settings' ELSE 'settings_absent' END]
        WHEN class = 'summary_only' THEN '{yes,scheduled_summary}'::text[]
        ELSE ARRAY['yes', class] END
    FROM known k
    UNION ALL
    SELECT 5, 'delivery', k.occurrence,
      CASE WHEN delivery_at IS NULL AND presentation_at IS NULL THEN CASE WHEN withdrawn THEN withdrawn_at ELSE answered_at END
        ELSE least(delivery_at, presentation_at) END,
      CASE WHEN withdrawn THEN '{removal}'::text[] WHEN delivery_at IS NOT NULL THEN '{delivery}'::text[] WHEN presentation_at IS NOT NULL THEN '{presentation}'::text[]
        ELSE '{action_response,dismissal}'::text[] END, NULL, CASE
        WHEN NOT alerts THEN '{not_applicable,not_alerting}'::text[]
        WHEN delivery_at IS NOT NULL OR presentation_at IS NOT NULL THEN '{yes,delivered}'::text[]
        WHEN delivered THEN '{yes,proven_later}'::text[]
        WHEN withdrawn THEN '{no,withdrawn}'::text[]
        WHEN delivery_observable THEN '{no,not_delivered}'::text[]
        WHEN failed THEN '{unknown,failed}'::text[]
        ELSE '{unknown,not_observable:no_extension}'::text[] END
    FROM known k
    UNION ALL
    SELECT 6, 'presentation', k.occurrence, CASE WHEN showed OR hid THEN presentation_at WHEN filtered THEN delivery_at ELSE answered_at END,
      CASE WHEN showed OR hid THEN '{presentation}'::text[] WHEN filtered THEN '{delivery}'::text[] ELSE '{action_response,dismissal}'::text[] END, NULL, CASE
        WHEN NOT alerts THEN '{not_applicable,not_alerting}'::text[]
        WHEN showed THEN '{yes,presented}'::text[]
        WHEN answered THEN '{yes,proven_later}'::text[]
        WHEN suppressed THEN '{no,suppressed}'::text[]
        WHEN silent THEN '{no,silent}'::text[]
        ELSE '{unknown,not_observable:background}'::text[] END
    FROM known k
    UNION ALL
    SELECT 7, 'response', k.occurrence, answered_at, '{action_response,dismissal}', NULL, CASE
        WHEN NOT alerts THEN '{not_applicable,not_alerting}'::text[]
        WHEN responded THEN ARRAY['yes', CASE WHEN opened THEN 'opened' WHEN replied THEN 'replied' ELSE 'acted' END]
        WHEN dismissed THEN '{no,dismissed}'::text[]
        ELSE '{unknown,silence}'::text[] END
    FROM known k
  )
  SELECT nullif(c.occurrence, '-infinity'), c.link, c.said[1], c.said[2],
    CASE WHEN c.said[1] IN ('yes', 'no') OR c.link = 'settings' THEN c.at END,
    coalesce((
      SELECT jsonb_agg(p ORDER BY t.first_at, t.kind, o)
      FROM told t CROSS JOIN LATERAL jsonb_array_elements(t.positions) WITH ORDINALITY AS x (p, o)
      WHERE t.kind = ANY (c.kinds)), '[]') || coalesce(c.periods, '[]')
  FROM chain c
  ORDER BY c.ordinal
$$;
