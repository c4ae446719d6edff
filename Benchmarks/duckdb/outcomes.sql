-- ask: conversion=purchase
-- key: campaign, conversion
-- same: devices, direct, influenced, conversions, sent_devices, held_out_devices, sent_converted, held_out_converted
-- near: sent_rate, held_out_rate
WITH touch AS (
  SELECT campaign, device_id, cohort_at, responded_at
  FROM reach
  WHERE reached AND campaign IS NOT NULL AND NOT response_only AND cohort_at >= $from::TIMESTAMPTZ AND cohort_at < $to::TIMESTAMPTZ
), conversion AS (   -- an order counts once
  SELECT device_id, conversion, effective_at AS since
  FROM event
  WHERE kind = 'conversion' AND conversion = 'purchase'
  QUALIFY order_id IS NULL OR row_number() OVER (PARTITION BY device_id, conversion, order_id ORDER BY effective_at) = 1
), credit AS (
  SELECT t.campaign, c.conversion, c.device_id, c.since, bool_or(c.since >= t.responded_at AND c.since < t.responded_at + INTERVAL 72 HOURS) AS is_direct
  FROM touch t
  JOIN conversion c ON c.device_id = t.device_id
  WHERE (c.since >= t.responded_at AND c.since < t.responded_at + INTERVAL 72 HOURS)
    OR (t.responded_at IS NULL AND c.since >= t.cohort_at AND c.since < t.cohort_at + INTERVAL 72 HOURS)
  GROUP BY ALL
), credited AS (
  SELECT campaign, conversion, count(*) AS conversions, count(DISTINCT device_id) AS converted, count(DISTINCT device_id) FILTER (is_direct) AS direct
  FROM credit
  GROUP BY campaign, conversion
), assigned AS (
  SELECT campaign, device_id, min(since) AS since, arg_min(is_held, since) AS is_held
  FROM (
    SELECT campaign, device_id, cohort_at AS since, false AS is_held FROM notification WHERE campaign IS NOT NULL AND requested_at IS NOT NULL
    UNION ALL
    SELECT campaign, device_id, coalesce(scheduled_for, effective_at), true FROM event WHERE kind = 'holdout'
  )
  WHERE since >= $from::TIMESTAMPTZ AND since < $to::TIMESTAMPTZ
  GROUP BY campaign, device_id
), arm AS (
  SELECT a.campaign, count(*) FILTER (NOT a.is_held) AS sent, count(*) FILTER (a.is_held) AS held,
    count(*) FILTER (NOT a.is_held AND s.device_id IS NOT NULL) AS sent_converted,
    count(*) FILTER (a.is_held AND s.device_id IS NOT NULL) AS held_converted
  FROM assigned a
  LEFT JOIN (
    SELECT DISTINCT a.campaign, a.device_id FROM assigned a JOIN conversion c ON c.device_id = a.device_id
    WHERE c.since >= a.since AND c.since < a.since + INTERVAL 72 HOURS
  ) s ON s.campaign = a.campaign AND s.device_id = a.device_id
  GROUP BY a.campaign
)
SELECT a.campaign, 'purchase' AS conversion, coalesce(t.devices, 0) AS devices, coalesce(c.direct, 0) AS direct,
  coalesce(c.converted - c.direct, 0) AS influenced, coalesce(c.conversions, 0) AS conversions, a.sent AS sent_devices, a.held AS held_out_devices,
  a.sent_converted, a.held_converted AS held_out_converted, a.sent_converted / nullif(a.sent, 0) AS sent_rate,
  a.held_converted / nullif(a.held, 0) AS held_out_rate
FROM arm a
LEFT JOIN (SELECT campaign, count(DISTINCT device_id) AS devices FROM touch GROUP BY campaign) t USING (campaign)
LEFT JOIN credited c USING (campaign);
