WITH callback AS (   -- a press in a content extension is one of its own, and makes every other callback of the action a repeat
  SELECT kind, received_at, coalesce(delegate = 'content_extension', false) AS in_extension,
    max(in_extension) OVER action AS has_extension,
    row_number() OVER (PARTITION BY kind, device_id, notification_id, occurrence, action_id ORDER BY in_extension, received_at) AS place
  FROM event
  WHERE kind IN ('action_response', 'request') AND NOT (kind = 'request' AND repeats)
  WINDOW action AS (PARTITION BY kind, device_id, notification_id, occurrence, action_id)
), repeated AS (
  SELECT kind, count() AS repeats
  FROM callback
  WHERE NOT in_extension AND (has_extension OR place > 1)
    AND received_at >= {from:DateTime64(6, 'UTC')} AND received_at < {to:DateTime64(6, 'UTC')}
  GROUP BY kind
)
SELECT e.kind AS kind, e.events AS events, if(e.kind = 'action_response', coalesce(r.repeats, 0), NULL) AS duplicate_callbacks,
  if(e.kind = 'request', coalesce(r.repeats, 0), NULL) AS reused_identifiers
FROM (
  SELECT kind, count() AS events
  FROM event
  WHERE received_at >= {from:DateTime64(6, 'UTC')} AND received_at < {to:DateTime64(6, 'UTC')}
  GROUP BY kind
) e
LEFT JOIN repeated r ON r.kind = e.kind;
