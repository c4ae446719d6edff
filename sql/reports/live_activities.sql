-- report: live_activities
-- purpose: How Live Activities live: how they start, whether pushes reach them, and how they end; one row per type of attributes
--   and app version, and per interval if requested. An activity counts when it started, a push when it was sent. Apple tells
--   that an activity was dismissed, not by whom: the person or the system. A row `other` sums everything beyond `limit`.
-- reads: live_activity, conversion, notification, device_period, device_token, permission_prompt, authorization, removal
-- by rows: states of Live Activities and pushes to them, each one
--
-- parameter: interval
-- parameter: from | Activities and pushes at or after this time
-- parameter: to | Activities and pushes before this time
-- parameter: tz
-- parameter: limit | How many types and app versions have rows of their own: those with the most activities started over the
--   whole range; all others share one row, `other`
-- filters: attributes_type, platform, os_version, app_version, locale
-- table: interval_start, attributes_type, app_version, started, started_by_push, push_to_start_requested,
--   push_to_start_without_activity, updates_accepted, updates_after_end, stale, ended, dismissed, end_unobserved, lifetime_p50,
--   dismissed_after_p50, token_never_issued
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: attributes_type | text | | The type of the activities' attributes; null if unknown
-- column: app_version | text | | From the first event's context, else from the device's latest before it, else from its
--   earliest; null if unknown
-- column: other | boolean | | True in the row of everything beyond `limit`; its type and version are null
-- column: started | bigint | activities | Activities that the app first reported in the interval
-- column: started_by_app | bigint | activities | Of `started`, those that the app started
-- column: started_by_push | bigint | activities | Of `started`, those that a push started
-- column: push_to_start_requested | bigint | pushes | Pushes that were to start an activity
-- column: push_to_start_accepted | bigint | pushes | Of `push_to_start_requested`, those that APNs accepted
-- column: push_to_start_without_activity | bigint | pushes | Of `push_to_start_accepted`, those that no activity of the device and
--   type, started by a push within 1 h, belongs to (each activity belongs to one push), although the device reported later:
--   most often a token that is dead and that APNs still accepts
-- column: push_to_start_unknown | bigint | pushes | The same, of devices that reported nothing later, or sent within the last hour
-- column: updates_accepted | bigint | pushes | Pushes that update an activity, and that APNs accepted. Pushes
--   that end one are not among them
-- column: updates_after_end | bigint | pushes | Of `updates_accepted`, those to an activity that had ended or was dismissed; null
--   where all of them are broadcast, which name no activity
-- column: stale | bigint | activities | Of `started`, those that became stale
-- column: ended | bigint | activities | Of `started`, those that ended
-- column: dismissed | bigint | activities | Of `started`, those that were dismissed, by the person or the system
-- column: end_unobserved | bigint | activities | Of `started`, those that began 12 h ago or earlier and of which no
--   end or dismissal was reported until now
-- column: lifetime_p50 | double precision | seconds | Median time from the start to the end, of those that ended
-- column: dismissed_after_p50 | double precision | seconds | Median time from the start to the dismissal, of those dismissed of
--   which no end was reported
-- column: token_updated | bigint | activities | Of `started`, those that are updated by a token of their own
-- column: token_never_issued | bigint | activities | Of `token_updated`, those of which no token was registered
CREATE OR REPLACE FUNCTION report.live_activities(
  app text, "interval" text DEFAULT 'none', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', filters jsonb DEFAULT '{}', "limit" integer DEFAULT 1000, as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, attributes_type text, app_version text, other boolean, started bigint, started_by_app bigint,
  started_by_push bigint, push_to_start_requested bigint, push_to_start_accepted bigint, push_to_start_without_activity bigint,
  push_to_start_unknown bigint, updates_accepted bigint, updates_after_end bigint, stale bigint, ended bigint, dismissed bigint,
  end_unobserved bigint, lifetime_p50 double precision, dismissed_after_p50 double precision, token_updated bigint,
  token_never_issued bigint, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET enable_mergejoin = off
  SET work_mem = '64MB' AS $$
DECLARE
  app_number integer := reporting.app_id(app);
  period     record;
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.divided_period("interval", "from", "to", tz, as_of);
  PERFORM reporting.filters(filters, '{attributes_type,platform,os_version,app_version,locale}');
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH activity AS MATERIALIZED (
      SELECT * FROM reporting.live_activities($1, $3, $4, $5)
    ), push AS MATERIALIZED (
      SELECT p.device_id, p.at, p.id, p.event, p.attributes_type, p.activity_id, p.channel_id, p.context,
        CASE WHEN p.event IN ('start', 'update') THEN coalesce((   -- not EXISTS: that reads all notifications
          SELECT n.push_accepted FROM projection.notification n
          WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = ($1, p.device_id, p.notification_id, p.occurrence)
        ), false) ELSE false END AS accepted
      FROM projection.live_activity_push p
      -- Starts before the range bear on it where one is less than an hour before it: an activity in it may belong to that one.
      -- Whether one before belongs to that, those before tell.
      WHERE p.app_id = $1 AND p.at < $4 AND (p.at >= $3 OR (p.event = 'start' AND p.device_id IN (
        SELECT i.device_id FROM projection.live_activity_push i
        WHERE i.app_id = $1 AND i.event = 'start' AND i.at > $3 - interval '1 hour' AND i.at < $3)))
    ), unmatched AS MATERIALIZED (   -- starts that APNs accepted and to which no activity belongs
      SELECT p.device_id, unnest(CASE WHEN a.at IS NULL THEN p.id ELSE reporting.unmatched_starts(p.id, p.at, a.at) END) AS id
      FROM (
        SELECT device_id, coalesce(attributes_type, '') AS type, array_agg(id) AS id, array_agg(at) AS at
        FROM (SELECT * FROM push WHERE event = 'start' AND accepted ORDER BY device_id, coalesce(attributes_type, ''), at, id) p
        GROUP BY device_id, type
      ) p
      LEFT JOIN (
        SELECT device_id, coalesce(attributes_type, '') AS type, array_agg(at) AS at
        FROM (SELECT * FROM activity WHERE started_by = 'push' ORDER BY device_id, coalesce(attributes_type, ''), at) a
        GROUP BY device_id, type
      ) a USING (device_id, type)
    ), heard AS MATERIALIZED (
      -- When their devices last reported anything, so far as is known. What providers alone say is nothing of theirs: answers,
      -- holdouts and requests. A device has many notifications: they are read only where nothing else is later than its pushes.
      SELECT u.device_id, CASE WHEN o.at > u.at THEN o.at ELSE greatest(o.at, (
        SELECT max(greatest(
          CASE WHEN n.delivery_at <= $5 THEN n.delivery_at END, CASE WHEN n.presentation_at <= $5 THEN n.presentation_at END,
          CASE WHEN n.responded_at <= $5 THEN n.responded_at END, CASE WHEN n.dismissed_at <= $5 THEN n.dismissed_at END))
        FROM projection.notification n
        WHERE (n.app_id, n.device_id) = ($1, u.device_id))) END AS at
      FROM (
        SELECT p.device_id, max(p.at) AS at FROM push p JOIN unmatched USING (device_id, id) WHERE p.at >= $3 GROUP BY p.device_id
      ) u
      CROSS JOIN LATERAL (
        SELECT greatest(
          (SELECT max(d.last_at) FROM projection.device_period d WHERE (d.app_id, d.device_id) = ($1, u.device_id)),
          (SELECT max(a.at) FROM projection.live_activity a WHERE (a.app_id, a.device_id) = ($1, u.device_id) AND a.at <= $5),
          (SELECT max(o.at) FROM projection.app_open o WHERE (o.app_id, o.device_id) = ($1, u.device_id) AND o.at <= $5),
          (SELECT max(c.at) FROM projection.conversion c WHERE (c.app_id, c.device_id) = ($1, u.device_id) AND c.at <= $5),
          (SELECT max(q.at) FROM projection.permission_prompt q WHERE (q.app_id, q.device_id) = ($1, u.device_id) AND q.at <= $5),
          (SELECT max(r.at) FROM projection.authorization_request r
            WHERE (r.app_id, r.device_id) = ($1, u.device_id) AND r.at <= $5),
          (SELECT max(s.at) FROM projection.open_settings s WHERE (s.app_id, s.device_id) = ($1, u.device_id) AND s.at <= $5),
          (SELECT max(g.first_at) FROM projection.notification_removal g
            WHERE (g.app_id, g.device_id) = ($1, u.device_id) AND g.first_at <= $5),
          (SELECT max(t.at) FROM projection.token_event t
            WHERE (t.app_id, t.device_id) = ($1, u.device_id) AND t.what IN ('registered', 'unregistered') AND t.at <= $5)) AS at
        OFFSET 0
      ) o
    ), token AS MATERIALIZED (   -- activities of which a token was registered
      SELECT DISTINCT device_id, e.activity_id
      FROM (SELECT DISTINCT device_id FROM activity WHERE updates_by = 'token' AND at >= $3 AND at < $4) a
      CROSS JOIN LATERAL (
        SELECT e.activity_id FROM projection.token_event e
        WHERE e.app_id = $1 AND e.device_id = a.device_id AND e.what = 'registered' AND e.type = 'activity_update'
        OFFSET 0
      ) e
    ), counting AS (
      SELECT true AS is_activity, a.device_id, a.at, a.attributes_type, a.context, a.started_by, a.updates_by, a.stale_at,
        a.ended_at, a.dismissed_at, a.ended_at IS NULL AND a.dismissed_at IS NULL AND a.at + interval '12 hours' <= $5 AS is_lost,
        a.updates_by = 'token' AND t.device_id IS NULL AS is_tokenless,
        NULL AS event, false AS accepted, false AS is_unmatched, false AS is_silent, false AS is_broadcast, false AS is_late
      FROM activity a
      LEFT JOIN token t USING (device_id, activity_id)
      WHERE a.at >= $3 AND a.at < $4
      UNION ALL
      SELECT false, p.device_id, p.at, coalesce(p.attributes_type, a.attributes_type), p.context, NULL, NULL, NULL, NULL, NULL, false, false, p.event, p.accepted, u.id IS NOT NULL,
        p.at + interval '1 hour' > $5 OR h.at IS NULL OR h.at <= p.at,
        p.channel_id IS NOT NULL, p.channel_id IS NULL AND coalesce(least(a.ended_at, a.dismissed_at) <= p.at, false)
      FROM push p
      LEFT JOIN activity a USING (device_id, activity_id)
      LEFT JOIN unmatched u ON (u.device_id, u.id) = (p.device_id, p.id)
      LEFT JOIN heard h ON h.device_id = u.device_id
      WHERE p.at >= $3
    ), period AS MATERIALIZED (   -- what is known of the devices of rows without a context, and from when on
      SELECT d.device_id, p.number, p.first_at, p.value
      FROM (
        SELECT device_id FROM push WHERE context IS NULL
        UNION
        SELECT device_id FROM activity WHERE context IS NULL AND at >= $3 AND at < $4
      ) d
      CROSS JOIN LATERAL (
        SELECT row_number() OVER (ORDER BY p.first_at, p.first_id)::integer AS number, p.first_at, p.value
        FROM projection.device_period p
        WHERE (p.app_id, p.device_id, p.series) = ($1, d.device_id, 'context')
        OFFSET 0
      ) p
    ), known AS (   -- the latest period that began before, else the first
      SELECT c.*, coalesce(c.context, p.value) AS told
      FROM (
        SELECT c.*, CASE WHEN c.context IS NULL THEN greatest(width_bucket(c.at, d.first_at), 1) END AS number
        FROM counting c
        LEFT JOIN (
          SELECT device_id, array_agg(first_at ORDER BY number) AS first_at FROM period GROUP BY device_id
        ) d USING (device_id)
        OFFSET 0   -- so that no row carries its device's array on
      ) c
      LEFT JOIN period p USING (device_id, number)
    ), filtered AS MATERIALIZED (
      SELECT width_bucket(at, $2) AS slot, attributes_type, coalesce(context->>'app_version', '') COLLATE "C" AS app_version,
        is_activity, at, started_by, updates_by, stale_at, ended_at, dismissed_at, is_lost, is_tokenless, event, accepted,
        is_unmatched, is_silent, is_broadcast, is_late
      FROM (
        SELECT is_activity, at, coalesce(attributes_type, '') AS attributes_type, told AS context, started_by, updates_by,
          stale_at, ended_at, dismissed_at, is_lost, is_tokenless, event, accepted, is_unmatched, is_silent, is_broadcast, is_late
        FROM known
      ) f
      WHERE reporting.matches(attributes_type, $8, 'attributes_type')
        AND reporting.matches(coalesce(context->>'platform', ''), $8, 'platform')
        AND reporting.matches(coalesce(context->>'os_version', ''), $8, 'os_version')
        AND reporting.matches(coalesce(context->>'app_version', ''), $8, 'app_version')
        AND reporting.matches(coalesce(context->>'locale', ''), $8, 'locale')
    ), %s, counted AS (
      SELECT slot, k.key > $7 AS other, min(attributes_type) AS attributes_type, min(app_version) AS app_version,
        count(*) FILTER (WHERE is_activity) AS started, count(*) FILTER (WHERE started_by = 'app') AS by_app,
        count(*) FILTER (WHERE started_by = 'push') AS by_push,
        count(*) FILTER (WHERE event = 'start') AS requested, count(*) FILTER (WHERE event = 'start' AND accepted) AS accepted,
        count(*) FILTER (WHERE event = 'start' AND is_unmatched AND NOT is_silent) AS without_activity,
        count(*) FILTER (WHERE event = 'start' AND is_unmatched AND is_silent) AS unknown,
        count(*) FILTER (WHERE event = 'update' AND accepted) AS updates,
        count(*) FILTER (WHERE event = 'update' AND accepted AND is_late) AS late,
        coalesce(bool_and(is_broadcast) FILTER (WHERE event = 'update' AND accepted), false) AS is_broadcast,
        count(*) FILTER (WHERE stale_at IS NOT NULL) AS stale, count(*) FILTER (WHERE ended_at IS NOT NULL) AS ended,
        count(*) FILTER (WHERE dismissed_at IS NOT NULL) AS dismissed, count(*) FILTER (WHERE is_lost) AS lost,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY ended_at - at) FILTER (WHERE ended_at IS NOT NULL) AS lifetime,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY dismissed_at - at) FILTER (WHERE dismissed_at IS NOT NULL AND ended_at IS NULL) AS until_dismissed,
        count(*) FILTER (WHERE updates_by = 'token') AS by_token, count(*) FILTER (WHERE is_tokenless) AS tokenless
      FROM filtered
      JOIN key k USING (attributes_type, app_version)
      GROUP BY slot, k.key
    )
    SELECT $6[slot], CASE WHEN NOT other THEN nullif(attributes_type, '') END, CASE WHEN NOT other THEN nullif(app_version, '') END,
      other, started, by_app, by_push, requested, accepted, without_activity, unknown, updates,
      CASE WHEN NOT is_broadcast THEN late END, stale, ended, dismissed, lost,
      extract(epoch FROM lifetime)::double precision, extract(epoch FROM until_dismissed)::double precision, by_token, tokenless,
      (SELECT count(*) FROM key)
    FROM counted
    ORDER BY slot, other, nullif(attributes_type, '') NULLS LAST, nullif(app_version, '') NULLS LAST
  $query$, reporting.keys('filtered', '{attributes_type,app_version}', 'is_activity::integer', '$7'))
  USING app_number, period.starts, period.from_at, period.to_at, as_of, period.labels, "limit", filters;
END $$;
