-- report: activity
-- purpose: Received events, by the server's clock: one row per kind of event, and per interval if requested. Duplicates and
--   rejections are counted by quarter hour, each in the interval in which the quarter hour begins. The report counts requests
--   as well as events, and so is not a function of the stored events alone.
-- reads: received, notification
--
-- parameter: interval
-- parameter: from | Received at or after this time
-- parameter: to | Received before this time
-- parameter: tz
-- filters: kind
-- table: interval_start, kind, events, duplicates, rejected, clamped, quarantined, duplicate_callbacks, reused_identifiers,
--   rejected_by_code
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: kind | text | | The kind of event; null if a rejected item had no known kind
-- column: events | bigint | events | Stored
-- column: duplicates | bigint | items | Sent again, and not stored again
-- column: rejected | bigint | items | Not stored
-- column: rejected_by_code | jsonb | items | `rejected` by error code
-- column: quarantined | bigint | items | Kept in quarantine
-- column: quarantined_by_code | jsonb | items | `quarantined` by error code
-- column: clamped | bigint | events | Stored, with a sender's clock so far ahead that the server's was used
-- column: duplicate_callbacks | bigint | events | Responses that repeat a reported action, in the order of receipt; null for
--   kinds that are not responses
-- column: reused_identifiers | bigint | events | Requests after the first received of one notification; null for kinds that
--   are not requests
CREATE OR REPLACE FUNCTION report.activity(
  app text, "interval" text DEFAULT 'none', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', filters jsonb DEFAULT '{}', as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, kind text, events bigint, duplicates bigint, rejected bigint, rejected_by_code jsonb,
  quarantined bigint, quarantined_by_code jsonb, clamped bigint, duplicate_callbacks bigint, reused_identifiers bigint)
LANGUAGE plpgsql STABLE SET jit = off AS $$
DECLARE
  app_number integer := reporting.app_id(app);
  period     record;
  cut        timestamptz[];   -- the quarter hours that the range, or one of its intervals, begins or ends in the midst of
  repeated   text;
  none       bigint;   -- repeated, where none is
BEGIN
  period := reporting.divided_period("interval", "from", "to", tz, as_of);
  PERFORM reporting.filters(filters, '{kind}');
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  cut := ARRAY(
    SELECT date_bin('15 minutes', b, 'epoch')
    FROM unnest(period.starts || period.to_at) b
    -- Nothing was received after now: the quarter hour that is under way is whole, however much it holds.
    WHERE date_bin('15 minutes', b, 'epoch') <> b AND b < now());
  -- Until notification is rebuilt after an upgrade it may not be there.
  none := CASE WHEN to_regclass('projection.repeated') IS NOT NULL THEN 0 END;
  repeated := CASE WHEN none IS NULL THEN 'SELECT NULL::integer AS slot, NULL AS kind, NULL::bigint AS repeats' ELSE $query$
      SELECT slot, kind, sum(events)::bigint AS repeats
      FROM (
        SELECT width_bucket(r.bucket, $2) AS slot, r.kind, r.events
        FROM projection.repeated r
        WHERE r.app_id = $1 AND r.bucket >= $3 AND r.bucket < $4 AND NOT r.bucket = ANY ($7)
        UNION ALL
        -- Of what one request brought in several may be the first: they were received at one time.
        SELECT p.slot, p.kind, count(*) - count(DISTINCT (n.device_id, n.notification_id, n.occurrence))
          FILTER (WHERE p.received_at = n.request_received_at)
        FROM part p
        JOIN projection.notification n ON (n.app_id, n.device_id, n.notification_id, n.occurrence)
          = ($1, p.device_id, p.notification_id, coalesce(p.occurrence, '-infinity'))
        WHERE p.kind = 'request' AND (p.data#>>'{trigger,repeats}' = 'true') IS NOT TRUE
        GROUP BY 1, 2
        UNION ALL
        SELECT p.slot, p.kind, count(*) - count(DISTINCT (a.device_id, a.notification_id, a.occurrence, a.action_id))
          FILTER (WHERE p.received_at = a.callback_received_at AND a.in_extension = 0)
        FROM part p
        JOIN projection.notification_action a ON (a.app_id, a.device_id, a.notification_id, a.occurrence, a.action_id)
          = ($1, p.device_id, p.notification_id, coalesce(p.occurrence, '-infinity'), p.data->>'action_id')
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
        WHERE r.app_id = $1 AND r.bucket = ANY ($7)
        GROUP BY r.bucket
      ) cut
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a quarter hour
        SELECT e.kind, e.received_at, e.time_clamped, e.device_id, e.notification_id, e.occurrence, e.data
        FROM log.upcast_event e
        WHERE e.position BETWEEN cut.first_position AND cut.last_position AND e.app_id = $1
          AND e.received_at >= greatest(cut.bucket, $3) AND e.received_at < least(cut.bucket + interval '15 minutes', $4)
        OFFSET 0
      ) e
    ), stored AS (
      SELECT slot, kind, sum(events)::bigint AS events, sum(clamped)::bigint AS clamped
      FROM (
        SELECT width_bucket(r.bucket, $2) AS slot, r.kind, r.events, r.clamped
        FROM projection.received r
        WHERE r.app_id = $1 AND r.bucket >= $3 AND r.bucket < $4 AND NOT r.bucket = ANY ($7)
        UNION ALL
        SELECT slot, kind, 1, time_clamped::integer FROM part
      ) p
      GROUP BY 1, 2
    ), refused AS (
      SELECT width_bucket(greatest(t.received_at, $3), $2) AS slot, t.kind,
        sum(t.events) FILTER (WHERE t.outcome = 'duplicate') AS duplicates,
        sum(t.events) FILTER (WHERE t.outcome <> 'duplicate') AS rejected,
        jsonb_object_agg(t.outcome, t.events) FILTER (WHERE t.outcome <> 'duplicate') AS rejected_by_code
      FROM (
        SELECT min(received_at) AS received_at, kind, outcome, sum(events) AS events
        FROM log.tally
        WHERE app_id = $1 AND received_at >= $3 AND received_at < $4
        GROUP BY width_bucket(received_at, $2), kind, outcome
      ) t
      GROUP BY 1, 2
    ), quarantine AS (
      SELECT slot, kind, sum(items) AS quarantined, jsonb_object_agg(code, items) AS quarantined_by_code
      FROM (
        SELECT width_bucket(received_at, $2) AS slot,
          CASE WHEN item->>'kind' = ANY ($6) THEN item->>'kind' ELSE '' END AS kind, code, count(*) AS items
        FROM log.quarantine
        WHERE app_id = $1 AND received_at >= $3 AND received_at < $4
        GROUP BY 1, 2, 3
      ) q
      GROUP BY 1, 2
    ), repeated AS (%s
    )
    SELECT $5[slot], nullif(kind, ''), coalesce(events, 0), coalesce(duplicates, 0)::bigint, coalesce(rejected, 0)::bigint,
      coalesce(rejected_by_code, '{}'), coalesce(quarantined, 0)::bigint, coalesce(quarantined_by_code, '{}'), coalesce(clamped, 0),
      CASE kind WHEN 'action_response' THEN coalesce(repeats, $8) END,
      CASE kind WHEN 'request' THEN coalesce(repeats, $8) END
    FROM stored
    FULL JOIN refused USING (slot, kind)
    FULL JOIN quarantine USING (slot, kind)
    LEFT JOIN repeated USING (slot, kind)
    WHERE reporting.matches(kind, $9, 'kind')
    ORDER BY slot, nullif(kind, '') NULLS LAST
  $query$, repeated)
  USING app_number, period.starts, period.from_at, period.to_at, period.labels,
    log.kinds(), cut, none, filters;
END $$;
