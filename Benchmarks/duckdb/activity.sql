-- key: kind
-- same: events, duplicate_callbacks, reused_identifiers
WITH callback AS (   -- a press in a content extension is one of its own, and makes every other callback of the action a repeat
  SELECT kind, received_at, delegate IS NOT DISTINCT FROM 'content_extension' AS in_extension,
    bool_or(delegate IS NOT DISTINCT FROM 'content_extension') OVER action AS has_extension,
    row_number() OVER (action ORDER BY delegate IS NOT DISTINCT FROM 'content_extension', received_at) AS place
  FROM event
  WHERE kind IN ('action_response', 'request') AND NOT (kind = 'request' AND repeats)
  WINDOW action AS (PARTITION BY kind, device_id, notification_id, occurrence, action_id)
), repeated AS (
  SELECT kind, count(*) AS repeats
  FROM callback
  WHERE NOT in_extension AND (has_extension OR place > 1)
    AND received_at >= $from::TIMESTAMPTZ AND received_at < $to::TIMESTAMPTZ
  GROUP BY kind
)
SELECT e.kind, e.events, CASE e.kind WHEN 'action_response' THEN coalesce(r.repeats, 0) END AS duplicate_callbacks,
  CASE e.kind WHEN 'request' THEN coalesce(r.repeats, 0) END AS reused_identifiers
FROM (
  SELECT kind, count(*) AS events
  FROM event
  WHERE received_at >= $from::TIMESTAMPTZ AND received_at < $to::TIMESTAMPTZ
  GROUP BY kind
) e
LEFT JOIN repeated r ON r.kind = e.kind;
