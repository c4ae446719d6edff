WITH request AS (
  SELECT r.device_id AS device_id, r.effective_at AS effective_at, r.asked AS options, r.app_version AS app_version, r.granted AS granted,
    position(coalesce(r.asked, ''), 'provisional') > 0 AS is_provisional,
    coalesce(r.status_before, s.authorization_status) AS status
  FROM event r
  ASOF LEFT JOIN (SELECT device_id, effective_at, authorization_status FROM event WHERE kind = 'settings') s
    ON r.device_id = s.device_id AND r.effective_at > s.effective_at
  WHERE r.kind = 'authorization_request' AND r.error IS NULL AND r.effective_at < {to:DateTime64(6, 'UTC')}
), placed AS (
  SELECT *, NOT is_provisional AND coalesce(status IN ('not_determined', 'provisional'), false) AS is_open,
    countIf(NOT is_provisional) OVER (PARTITION BY device_id ORDER BY effective_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) > 0 AS was_asked
  FROM request
), counted AS (
  SELECT *, is_open AND countIf(is_open) OVER (PARTITION BY device_id ORDER BY effective_at ROWS UNBOUNDED PRECEDING) = 1 AS counts,
    max(is_open) OVER (PARTITION BY device_id) AS has_answer
  FROM placed
)
SELECT options, app_version, countIf(counts) AS asked, countIf(counts AND granted) AS granted,
  countIf(counts AND NOT granted) AS denied,
  countIf(NOT counts AND (was_asked OR coalesce(status NOT IN ('not_determined', 'provisional'), false))) AS repeats,
  countIf(NOT was_asked AND NOT is_provisional AND status IS NULL AND NOT has_answer) AS unknown_before
FROM counted
WHERE effective_at >= {from:DateTime64(6, 'UTC')}
GROUP BY options, app_version;
