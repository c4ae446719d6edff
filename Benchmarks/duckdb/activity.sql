-- key: kind
-- same: events, duplicate_callbacks, reused_identifiers
WITH numbered AS (
  SELECT kind, received_at, row_number() OVER (
    PARTITION BY kind, device_id, notification_id, occurrence, action_id ORDER BY effective_at) AS place
  FROM event
  WHERE kind IN ('action_response', 'request') AND NOT (kind = 'request' AND repeats) AND delegate IS DISTINCT FROM 'content_extension'
), repeated AS (
  SELECT kind, count(*) AS repeats
  FROM numbered
  WHERE place > 1 AND received_at >= $from::TIMESTAMPTZ AND received_at < $to::TIMESTAMPTZ
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
