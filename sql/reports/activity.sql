-- report: activity
-- purpose: What came in, by the server's clock: one row per kind of event, per interval where asked. Duplicates and
--   rejections are counted by quarter hour, each wholly in the interval in which it begins. It keeps books of what was
--   sent, and so is no function of the stored events alone.
-- reads: received, notification
--
-- parameter: interval | choice | none | none, hour, day, week, month | Rows per interval of local time
-- parameter: from | time | 30 days before to | an RFC 3339 time, or a date in tz | Received from then on
-- parameter: to | time | now | an RFC 3339 time, or a date in tz | Received before then
-- parameter: tz | zone | UTC | an IANA time zone | Whose dates and intervals
-- filters: kind
-- table: interval_start, kind, events, duplicates, rejected, clamped, quarantined, duplicate_callbacks, reused_identifiers,
--   rejected_by_code
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: kind | text | | The kind of event; null where a rejected item did not say one that exists
-- column: events | bigint | events | Stored
-- column: duplicates | bigint | items | Sent again, and not stored again
-- column: rejected | bigint | items | Not stored
-- column: rejected_by_code | jsonb | items | `rejected` by error code
-- column: quarantined | bigint | items | Kept in quarantine
-- column: quarantined_by_code | jsonb | items | `quarantined` by error code
-- column: clamped | bigint | events | Stored, with a clock so far ahead that the server's was taken
-- column: duplicate_callbacks | bigint | events | Responses that repeat an action already taken on the notification; null
--   for kinds that are no response
-- column: reused_identifiers | bigint | events | Requests beyond the first of one notification; null for kinds that are no
--   request
CREATE OR REPLACE FUNCTION report.activity(
  app text, "interval" text DEFAULT 'none', "from" timestamptz DEFAULT NULL, "to" timestamptz DEFAULT NULL,
  tz text DEFAULT 'UTC', filters jsonb DEFAULT '{}', as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, kind text, events bigint, duplicates bigint, rejected bigint, rejected_by_code jsonb,
  quarantined bigint, quarantined_by_code jsonb, clamped bigint, duplicate_callbacks bigint, reused_identifiers bigint)
LANGUAGE plpgsql STABLE SET jit = off AS $$
DECLARE
  app_number integer := report.app_id(app);
  period     record;
  starts     timestamptz[];
  labels     timestamptz[];
  cut_at     timestamptz;   -- where the range cuts what was received off
  repeated   text;   -- of each action's callbacks, those that are no press of their own
  reused     text;   -- of each notification's requests, those after the first
BEGIN
  period := report.period("from", "to", as_of);
  SELECT array_agg(i.begins ORDER BY i.begins), array_agg(i.interval_start ORDER BY i.begins) INTO starts, labels
  FROM report.intervals("interval", period.from_at, period.to_at, tz) i;
  PERFORM report.filter(filters, '{"kind": "kind"}');
  IF starts IS NULL THEN
    RETURN;
  END IF;

  -- Nothing was received after now: the quarter hour that is under way is whole, however much it holds.
  cut_at := CASE WHEN period.to_at >= now() THEN 'infinity' ELSE period.to_at END;
  -- Where the range holds all that was ever received, the notifications' own counts say what only the log can say of a part.
  IF cardinality(starts) = 1 AND NOT EXISTS (
    SELECT FROM projection.received r
    WHERE r.app_id = app_number AND (r.bucket < period.from_at OR r.bucket >= period.to_at OR r.bucket + interval '15 minutes' > cut_at))
  THEN
    repeated := $query$
      SELECT 1 AS place, 'action_response' AS kind,
        sum(a.callbacks - CASE WHEN a.in_extension > 0 THEN 0 ELSE 1 END)::bigint AS duplicate_callbacks
      FROM projection.notification_action a
      WHERE a.app_id = $1 AND (a.callbacks > 1 OR (a.callbacks > 0 AND a.in_extension > 0)) AND $7$query$;
    reused := $query$
      SELECT 1 AS place, 'request' AS kind, sum(n.requests - 1)::bigint AS reused_identifiers
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.requests > 1 AND n.occurrence <> 'infinity' AND $8$query$;
  ELSE
    repeated := $query$
      SELECT width_bucket(received_at, $2) AS place, 'action_response' AS kind, count(*) AS duplicate_callbacks
      FROM (
        SELECT e.received_at, a.in_extension > 0
          OR row_number() OVER (PARTITION BY e.device_id, e.notification_id, e.occurrence, a.action_id ORDER BY e.effective_at, e.id) > 1 AS is_duplicate
        FROM projection.notification_action a
        JOIN log.upcast_event e ON e.app_id = $1 AND e.device_id = a.device_id AND e.kind = 'action_response'
          AND e.notification_id = a.notification_id AND coalesce(e.occurrence, '-infinity') = a.occurrence
          AND e.data->>'action_id' = a.action_id AND (e.data->>'delegate' = 'content_extension') IS NOT TRUE
        WHERE a.app_id = $1 AND (a.callbacks > 1 OR (a.callbacks > 0 AND a.in_extension > 0)) AND $7
      ) c
      WHERE is_duplicate AND received_at >= $3 AND received_at < $4
      GROUP BY 1$query$;
    reused := $query$
      SELECT width_bucket(received_at, $2) AS place, 'request' AS kind, count(*) AS reused_identifiers
      FROM (
        SELECT e.received_at,
          row_number() OVER (PARTITION BY e.device_id, e.notification_id, e.occurrence ORDER BY e.effective_at, e.id) > 1 AS is_update
        FROM projection.notification n
        JOIN log.upcast_event e ON e.app_id = $1 AND e.device_id = n.device_id AND e.kind = 'request'
          AND e.notification_id = n.notification_id AND coalesce(e.occurrence, '-infinity') = n.occurrence
          AND (e.data#>>'{trigger,repeats}' = 'true') IS NOT TRUE
        WHERE n.app_id = $1 AND n.requests > 1 AND n.occurrence <> 'infinity' AND $8
      ) u
      WHERE is_update AND received_at >= $3 AND received_at < $4
      GROUP BY 1$query$;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH stored AS (
      SELECT place, kind, sum(events)::bigint AS events, sum(clamped)::bigint AS clamped
      FROM (
        SELECT width_bucket(greatest(r.bucket, $3), $2) AS place, r.kind, r.events, r.clamped
        FROM projection.received r
        WHERE r.app_id = $1 AND r.bucket >= $3 AND r.bucket < $4 AND r.bucket + interval '15 minutes' <= $9
          AND width_bucket(r.bucket, $2) = width_bucket(r.bucket + interval '15 minutes' - interval '1 microsecond', $2)
        UNION ALL
        -- Quarter hours that the range, or one of its intervals, begins or ends in the midst of: from the log.
        SELECT width_bucket(e.received_at, $2), e.kind, 1, e.time_clamped::integer
        FROM (
          SELECT r.bucket, min(r.first_position) AS first_position, max(r.last_position) AS last_position
          FROM projection.received r
          WHERE r.app_id = $1 AND r.bucket > $3 - interval '15 minutes' AND r.bucket < $4
            AND NOT (r.bucket >= $3 AND r.bucket + interval '15 minutes' <= $9
              AND width_bucket(r.bucket, $2) = width_bucket(r.bucket + interval '15 minutes' - interval '1 microsecond', $2))
          GROUP BY r.bucket
        ) cut
        CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a quarter hour
          SELECT e.received_at, e.kind, e.time_clamped
          FROM log.event e
          WHERE e.position BETWEEN cut.first_position AND cut.last_position AND e.app_id = $1
            AND e.received_at >= greatest(cut.bucket, $3) AND e.received_at < least(cut.bucket + interval '15 minutes', $4)
          OFFSET 0
        ) e
      ) part
      GROUP BY 1, 2
    ), refused AS (
      SELECT width_bucket(greatest(t.received_at, $3), $2) AS place, t.kind,
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
      SELECT place, kind, sum(items) AS quarantined, jsonb_object_agg(code, items) AS quarantined_by_code
      FROM (
        SELECT width_bucket(received_at, $2) AS place,
          CASE WHEN item->>'kind' = ANY ($6) THEN item->>'kind' ELSE '' END AS kind, code, count(*) AS items
        FROM log.quarantine
        WHERE app_id = $1 AND received_at >= $3 AND received_at < $4
        GROUP BY 1, 2, 3
      ) q
      GROUP BY 1, 2
    ), repeated AS (%1$s
    ), reused AS (%2$s
    )
    SELECT $5[place], nullif(kind, ''), coalesce(events, 0), coalesce(duplicates, 0)::bigint, coalesce(rejected, 0)::bigint,
      coalesce(rejected_by_code, '{}'), coalesce(quarantined, 0)::bigint, coalesce(quarantined_by_code, '{}'), coalesce(clamped, 0),
      CASE kind WHEN 'action_response' THEN coalesce(duplicate_callbacks, 0) END,
      CASE kind WHEN 'request' THEN coalesce(reused_identifiers, 0) END
    FROM stored
    FULL JOIN refused USING (place, kind)
    FULL JOIN quarantine USING (place, kind)
    LEFT JOIN repeated USING (place, kind)
    LEFT JOIN reused USING (place, kind)
    WHERE %3$s
    ORDER BY place, nullif(kind, '') NULLS LAST
  $query$, repeated, reused, report.filter(filters, '{"kind": "kind"}'))
  USING app_number, starts, period.from_at, period.to_at, labels,
    '{request,delivery,presentation,action_response,dismissal,removal,authorization_request,open_settings,settings,token,push_result,category_registration}'::text[],
    NOT filters ? 'kind' OR filters->'kind' ? 'action_response', NOT filters ? 'kind' OR filters->'kind' ? 'request', cut_at;
END $$;
