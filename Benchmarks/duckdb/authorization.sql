-- key: options, app_version
-- same: asked, granted, denied, repeats, unknown_before
WITH request AS (
  SELECT r.device_id, r.effective_at, r.asked::VARCHAR AS options, r.app_version, r.granted,
    contains(coalesce(r.asked::VARCHAR, ''), 'provisional') AS is_provisional,
    coalesce(r.status_before::VARCHAR, s.authorization_status::VARCHAR) AS status
  FROM event r
  ASOF LEFT JOIN (SELECT device_id, effective_at, authorization_status FROM event WHERE kind = 'settings') s
    ON r.device_id = s.device_id AND r.effective_at > s.effective_at
  WHERE r.kind = 'authorization_request' AND r.error IS NULL AND r.effective_at < $to::TIMESTAMPTZ
), placed AS (
  SELECT *, NOT is_provisional AND status IN ('not_determined', 'provisional') IS TRUE AS is_open,
    count(*) FILTER (NOT is_provisional) OVER (PARTITION BY device_id ORDER BY effective_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) > 0 AS was_asked
  FROM request
), counted AS (
  SELECT *, is_open AND count(*) FILTER (is_open) OVER (PARTITION BY device_id ORDER BY effective_at ROWS UNBOUNDED PRECEDING) = 1 AS counts,
    bool_or(is_open) OVER (PARTITION BY device_id) AS has_answer
  FROM placed
)
SELECT options, app_version, count(*) FILTER (counts) AS asked, count(*) FILTER (counts AND granted) AS granted,
  count(*) FILTER (counts AND NOT granted) AS denied,
  count(*) FILTER (NOT counts AND (was_asked OR status NOT IN ('not_determined', 'provisional') IS TRUE)) AS repeats,
  count(*) FILTER (NOT was_asked AND NOT is_provisional AND status IS NULL AND NOT has_answer) AS unknown_before
FROM counted
WHERE effective_at >= $from::TIMESTAMPTZ
GROUP BY options, app_version;
