-- key: category, reason
-- same: notifications, pending, delivered, responded
SELECT category, reason, count(*) AS notifications, count(*) FILTER (pending) AS pending, count(*) FILTER (delivered) AS delivered,
  count(*) FILTER (responded) AS responded,
  quantile_disc(greatest(epoch(delivered_removal - shown_at), 0), 0.5) FILTER (delivered AND shown_at IS NOT NULL) AS delivered_p50
FROM (
  SELECT n.category, r.reason, n.responded, n.shown_at, bool_or(r.state = 'pending') AS pending,
    bool_or(r.state = 'delivered') AS delivered, min(r.effective_at) FILTER (r.state = 'delivered') AS delivered_removal
  FROM event r
  JOIN notification n ON n.device_id = r.device_id AND n.notification_id = r.notification_id
    AND n.occurrence IS NOT DISTINCT FROM r.occurrence
  WHERE r.kind = 'removal' AND n.cohort_at >= $from::TIMESTAMPTZ AND n.cohort_at < $to::TIMESTAMPTZ
  GROUP BY r.device_id, r.notification_id, r.occurrence, n.category, r.reason, n.responded, n.shown_at
)
GROUP BY ALL;
