-- Live Activities and pushes to them, as the report live_activities counts them, before its limit.
--
-- `starts` are where the intervals of the range start, `slot` their number from 1. `attributes_type` and `app_version` are '' where they
-- are unknown.
--
-- Most counts are columns of the report. `updates_broadcast` is how many of `updates_accepted` name no activity; `lifetimes` is how
-- many seconds each of `ended` lasted, and `until_dismissed` how many each of `dismissed` did of which no end was reported.
-- A group can have several rows.
CREATE OR REPLACE FUNCTION reporting.live_activities_counts(
  app_number integer, starts timestamptz[], from_at timestamptz, to_at timestamptz, filters jsonb, as_of timestamptz,
  worker integer DEFAULT NULL, workers integer DEFAULT NULL)
RETURNS TABLE (
  slot integer, attributes_type text, app_version text, started bigint, started_by_app bigint, started_by_push bigint,
  push_to_start_requested bigint, push_to_start_accepted bigint, push_to_start_without_activity bigint,
  push_to_start_unknown bigint, updates_accepted bigint, updates_after_end bigint, updates_broadcast bigint, stale bigint, ended bigint,
  dismissed bigint, end_unobserved bigint, token_updated bigint, token_never_issued bigint, lifetimes double precision[],
  until_dismissed double precision[])
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 SET jit = off SET enable_nestloop = off SET enable_mergejoin = off
  SET work_mem = '64MB' AS $$
DECLARE
  kept boolean := reporting.has_column('projection.live_activity_accepted', 'notification_id');   -- which pushes were accepted
BEGIN
  IF worker IS NULL AND reporting.workers() > 1 THEN
    RETURN QUERY EXECUTE reporting.by_workers('live_activities_counts', 6) USING app_number, starts, from_at, to_at, filters, as_of;
    RETURN;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH activity AS MATERIALIZED (
      SELECT * FROM reporting.live_activities($1, $3, $4, $5) a WHERE %3$s
    ), push AS MATERIALIZED (
      SELECT p.device_id, p.at, p.id, p.event, p.attributes_type, p.activity_id, p.channel_id, p.context,
        coalesce(p.event IN ('start', 'update'), false) AND %1$s AS accepted
      FROM projection.live_activity_push p
      %2$s
      -- Starts before the range bear on it where one is no more than an hour before it: an activity in it may belong to that one.
      -- Whether one before belongs to that, those before tell.
      WHERE p.app_id = $1 AND %4$s AND p.at < $4 AND (p.at >= $3 OR (p.event = 'start' AND p.device_id IN (
        SELECT i.device_id FROM projection.live_activity_push i
        WHERE i.app_id = $1 AND i.event = 'start' AND i.at >= $3 - interval '1 hour' AND i.at < $3)))
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
      -- holdouts and requests; nor is a context, which these have too. It matters only whether that was after their pushes: most
      -- opened the app since, which takes one look; of the others what has no index by time is read as well, and of those that are
      -- left the notifications, which are many.
      SELECT u.device_id, CASE WHEN opened.at > u.at THEN opened.at WHEN told.at > u.at THEN told.at
        ELSE greatest(opened.at, told.at, (
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
          (SELECT max(a.at) FROM projection.live_activity a WHERE (a.app_id, a.device_id) = ($1, u.device_id) AND a.at <= $5),
          (SELECT max(o.at) FROM projection.app_open o WHERE (o.app_id, o.device_id) = ($1, u.device_id) AND o.at <= $5)) AS at
        OFFSET 0
      ) opened
      CROSS JOIN LATERAL (
        SELECT CASE WHEN opened.at > u.at THEN NULL ELSE greatest(
          (SELECT max(d.last_at) FROM projection.device_period d
            WHERE (d.app_id, d.device_id, d.series) = ($1, u.device_id, 'settings')),
          (SELECT max(c.at) FROM projection.conversion c WHERE (c.app_id, c.device_id) = ($1, u.device_id) AND c.at <= $5),
          (SELECT max(q.at) FROM projection.permission_prompt q WHERE (q.app_id, q.device_id) = ($1, u.device_id) AND q.at <= $5),
          (SELECT max(r.at) FROM projection.authorization_request r
            WHERE (r.app_id, r.device_id) = ($1, u.device_id) AND r.at <= $5),
          (SELECT max(s.at) FROM projection.open_settings s WHERE (s.app_id, s.device_id) = ($1, u.device_id) AND s.at <= $5),
          (SELECT max(g.first_at) FROM projection.notification_removal g
            WHERE (g.app_id, g.device_id) = ($1, u.device_id) AND g.first_at <= $5),
          (SELECT max(t.at) FROM projection.token_event t
            WHERE (t.app_id, t.device_id) = ($1, u.device_id) AND t.what IN ('registered', 'unregistered') AND t.at <= $5)) END AS at
        OFFSET 0
      ) told
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
      WHERE reporting.matches(attributes_type, $6, 'attributes_type')
        AND reporting.matches(coalesce(context->>'platform', ''), $6, 'platform')
        AND reporting.matches(coalesce(context->>'os_version', ''), $6, 'os_version')
        AND reporting.matches(coalesce(context->>'app_version', ''), $6, 'app_version')
        AND reporting.matches(coalesce(context->>'locale', ''), $6, 'locale')
    )
    SELECT slot, attributes_type, app_version,
      count(*) FILTER (WHERE is_activity), count(*) FILTER (WHERE started_by = 'app'),
      count(*) FILTER (WHERE started_by = 'push'),
      count(*) FILTER (WHERE event = 'start'), count(*) FILTER (WHERE event = 'start' AND accepted),
      count(*) FILTER (WHERE event = 'start' AND is_unmatched AND NOT is_silent),
      count(*) FILTER (WHERE event = 'start' AND is_unmatched AND is_silent),
      count(*) FILTER (WHERE event = 'update' AND accepted),
      count(*) FILTER (WHERE event = 'update' AND accepted AND is_late),
      count(*) FILTER (WHERE event = 'update' AND accepted AND is_broadcast),
      count(*) FILTER (WHERE stale_at IS NOT NULL), count(*) FILTER (WHERE ended_at IS NOT NULL),
      count(*) FILTER (WHERE dismissed_at IS NOT NULL), count(*) FILTER (WHERE is_lost),
      count(*) FILTER (WHERE updates_by = 'token'), count(*) FILTER (WHERE is_tokenless),
      array_agg(extract(epoch FROM ended_at - at)::double precision) FILTER (WHERE ended_at IS NOT NULL),
      array_agg(extract(epoch FROM dismissed_at - at)::double precision) FILTER (WHERE dismissed_at IS NOT NULL AND ended_at IS NULL)
    FROM (SELECT *, row_number() OVER () / 100000 AS piece FROM filtered) f
    GROUP BY 1, 2, 3, piece   -- so that no array is large
  $query$,
    -- Not EXISTS in a version of an earlier release: that reads all notifications.
    CASE WHEN kept THEN 'k.device_id IS NOT NULL' ELSE $looked$coalesce((
          SELECT n.push_accepted FROM projection.notification n
          WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = ($1, p.device_id, p.notification_id, p.occurrence)
        ), false)$looked$ END,
    CASE WHEN kept THEN 'LEFT JOIN projection.live_activity_accepted k
        ON (k.app_id, k.device_id, k.notification_id, k.occurrence) = ($1, p.device_id, p.notification_id, p.occurrence)' ELSE '' END,
    reporting.of_worker('a.device_id', worker, workers), reporting.of_worker('p.device_id', worker, workers))
  USING app_number, starts, from_at, to_at, as_of, filters;
END $$;
