WITH touch AS (
  SELECT campaign, device_id, cohort_at, responded_at
  FROM reach
  WHERE reached AND campaign IS NOT NULL AND NOT response_only AND cohort_at >= {from:DateTime64(6, 'UTC')} AND cohort_at < {to:DateTime64(6, 'UTC')}
), purchase AS (
  SELECT device_id, order_id, min(effective_at) AS bought_at FROM event WHERE kind = 'conversion' AND conversion = 'purchase' GROUP BY device_id, order_id
), credit AS (
  SELECT t.campaign AS campaign, c.device_id AS device_id, c.bought_at AS bought_at,
    max(coalesce(c.bought_at >= t.responded_at AND c.bought_at < t.responded_at + INTERVAL 72 HOUR, false)) AS is_direct
  FROM touch t
  JOIN purchase c ON c.device_id = t.device_id
  WHERE coalesce(c.bought_at >= t.responded_at AND c.bought_at < t.responded_at + INTERVAL 72 HOUR, false)
    OR (t.responded_at IS NULL AND c.bought_at >= t.cohort_at AND c.bought_at < t.cohort_at + INTERVAL 72 HOUR)
  GROUP BY t.campaign, c.device_id, c.bought_at
), credited AS (
  SELECT campaign, count() AS conversions, uniqExact(device_id) AS converted, uniqExactIf(device_id, is_direct) AS direct FROM credit GROUP BY campaign
), assigned AS (
  SELECT campaign, device_id, min(since) AS first_at, argMin(is_held, since) AS held
  FROM (
    SELECT campaign, device_id, cohort_at AS since, false AS is_held FROM notification WHERE campaign IS NOT NULL AND requested_at IS NOT NULL
    UNION ALL
    SELECT campaign, device_id, coalesce(scheduled_for, effective_at), true FROM event WHERE kind = 'holdout'
  )
  WHERE since >= {from:DateTime64(6, 'UTC')} AND since < {to:DateTime64(6, 'UTC')}
  GROUP BY campaign, device_id
), succeeded AS (
  SELECT DISTINCT a.campaign AS campaign, a.device_id AS device_id
  FROM assigned a
  JOIN purchase c ON c.device_id = a.device_id
  WHERE c.bought_at >= a.first_at AND c.bought_at < a.first_at + INTERVAL 72 HOUR
), arm AS (
  SELECT a.campaign AS campaign, countIf(NOT a.held) AS sent, countIf(a.held) AS held_out,
    countIf(NOT a.held AND s.device_id IS NOT NULL) AS sent_converted, countIf(a.held AND s.device_id IS NOT NULL) AS held_converted
  FROM assigned a
  LEFT JOIN succeeded s ON s.campaign = a.campaign AND s.device_id = a.device_id
  GROUP BY a.campaign
)
SELECT a.campaign AS campaign, 'purchase' AS conversion, coalesce(t.devices, 0) AS devices, coalesce(c.direct, 0) AS direct,
  coalesce(c.converted - c.direct, 0) AS influenced, coalesce(c.conversions, 0) AS conversions, a.sent AS sent_devices, a.held_out AS held_out_devices,
  a.sent_converted AS sent_converted, a.held_converted AS held_out_converted, a.sent_converted / nullIf(a.sent, 0) AS sent_rate,
  a.held_converted / nullIf(a.held_out, 0) AS held_out_rate
FROM arm a
LEFT JOIN (SELECT campaign, uniqExact(device_id) AS devices FROM touch GROUP BY campaign) t ON t.campaign = a.campaign
LEFT JOIN credited c ON c.campaign = a.campaign;
