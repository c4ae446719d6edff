-- What was received, and what was refused, by kind: what the report activity counts.
--
-- Intervals begin at `starts` and end at `to_at`; `slot` is the number of one. `cut` are the quarter hours of which the range, or one
-- of the intervals, has a part. `kind` is '' where an item had no known kind. `what` is events, clamped, repeats (what the report has
-- as duplicate_callbacks and reused_identifiers), duplicates, rejected or quarantined; only the last two have a `code`. `items` is
-- null for repeats that are not known.
CREATE OR REPLACE FUNCTION reporting.activity_counts(
  app_number integer, starts timestamptz[], to_at timestamptz, cut timestamptz[], filters jsonb)
RETURNS TABLE (slot integer, kind text, what text, code text, items bigint)
LANGUAGE plpgsql STABLE ROWS 100 SET jit = off AS $$
DECLARE
  repeated text;
BEGIN
  -- Until notification is rebuilt after an upgrade it may not be there.
  repeated := CASE WHEN to_regclass('projection.repeated') IS NULL
    THEN 'SELECT DISTINCT slot, kind, ''repeats'', '''', NULL::bigint FROM told' ELSE $query$
      SELECT slot, kind, 'repeats', '', sum(events)::bigint
      FROM (
        SELECT width_bucket(r.bucket, $2) AS slot, r.kind, r.events
        FROM projection.repeated r
        WHERE r.app_id = $1 AND r.bucket >= $2[1] AND r.bucket < $3 AND NOT r.bucket = ANY ($4)
        UNION ALL
        -- Of what one request brought in several may be the first: they were received at one time.
        SELECT p.slot, p.kind, count(*) - count(DISTINCT (n.device_id, n.notification_id, n.occurrence))
          FILTER (WHERE p.received_at = n.request_received_at)
        FROM part p
        CROSS JOIN LATERAL (   -- OFFSET keeps it to one look-up each
          SELECT * FROM projection.notification n
          WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence)
            = ($1, p.device_id, p.notification_id, coalesce(p.occurrence, '-infinity'))
          OFFSET 0
        ) n
        WHERE p.kind = 'request' AND (p.data#>>'{trigger,repeats}' = 'true') IS NOT TRUE
        GROUP BY 1, 2
        UNION ALL
        SELECT p.slot, p.kind, count(*) - count(DISTINCT (a.device_id, a.notification_id, a.occurrence, a.action_id))
          FILTER (WHERE p.received_at = a.callback_received_at AND a.in_extension = 0)
        FROM part p
        CROSS JOIN LATERAL (
          SELECT * FROM projection.notification_action a
          WHERE (a.app_id, a.device_id, a.notification_id, a.occurrence, a.action_id)
            = ($1, p.device_id, p.notification_id, coalesce(p.occurrence, '-infinity'), p.data->>'action_id')
          OFFSET 0
        ) a
        WHERE p.kind = 'action_response' AND (p.data->>'delegate' = 'content_extension') IS NOT TRUE
        GROUP BY 1, 2
      ) r
      GROUP BY 1, 2$query$ END;

  RETURN QUERY EXECUTE format($query$
    WITH part AS MATERIALIZED (   -- what was received in quarter hours that are cut: from the log
      SELECT width_bucket(e.received_at, $2) AS slot, e.*
      FROM (
        SELECT r.bucket, min(r.first_position) AS first_position, max(r.last_position) AS last_position
        FROM projection.received r
        WHERE r.app_id = $1 AND r.bucket = ANY ($4)
        GROUP BY r.bucket
      ) cut
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a quarter hour
        SELECT e.kind, e.received_at, e.time_clamped, e.device_id, e.notification_id, e.occurrence, e.data
        FROM log.upcast_event e
        WHERE e.position BETWEEN cut.first_position AND cut.last_position AND e.app_id = $1
          AND e.received_at >= greatest(cut.bucket, $2[1]) AND e.received_at < least(cut.bucket + interval '15 minutes', $3)
        OFFSET 0
      ) e
    ), stored AS (
      SELECT slot, kind, sum(events)::bigint AS events, sum(clamped)::bigint AS clamped
      FROM (
        SELECT width_bucket(r.bucket, $2) AS slot, r.kind, r.events, r.clamped
        FROM projection.received r
        WHERE r.app_id = $1 AND r.bucket >= $2[1] AND r.bucket < $3 AND NOT r.bucket = ANY ($4)
        UNION ALL
        SELECT slot, kind, 1, time_clamped::integer FROM part
      ) p
      GROUP BY 1, 2
    ), told AS (
      SELECT slot, kind, c.what, '' AS code, c.items FROM stored, LATERAL (VALUES ('events', events), ('clamped', clamped)) AS c (what, items)
      UNION ALL
      SELECT width_bucket(received_at, $2), kind, CASE outcome WHEN 'duplicate' THEN 'duplicates' ELSE 'rejected' END,
        CASE outcome WHEN 'duplicate' THEN '' ELSE outcome END, sum(events)::bigint
      FROM log.tally
      WHERE app_id = $1 AND received_at >= $2[1] AND received_at < $3
      GROUP BY 1, 2, outcome
      UNION ALL
      SELECT width_bucket(received_at, $2), CASE WHEN item->>'kind' = ANY ($5) THEN item->>'kind' ELSE '' END, 'quarantined', code,
        count(*)
      FROM log.quarantine
      WHERE app_id = $1 AND received_at >= $2[1] AND received_at < $3
      GROUP BY 1, 2, code
    )
    SELECT slot, kind, what, code, items
    FROM (
      SELECT * FROM told
      UNION ALL
      (%s)
    ) whole
    WHERE reporting.matches(kind, $6, 'kind')
  $query$, repeated)
  USING app_number, starts, to_at, cut, log.kinds(), filters;
END $$;
