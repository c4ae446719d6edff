-- projection: cohort_event
-- with: notification
-- after: notification

-- What the reports ask of notifications, by key: of those that the batch changed, and of those that its events are about.
CREATE OR REPLACE FUNCTION cohort_event_apply(after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql SET client_min_messages = warning SET jit = off AS $$
BEGIN
  PERFORM projection.only_index_lookups(true);

  -- First those that are known, of notifications that were there before and changed; then what the batch says.
  UPDATE cohort_removal r
  SET (cohort_at, shown_at, category, responded, withdrawn) = (
    SELECT n.cohort_at, n.shown_at, n.category, n.responded, n.withdrawn
    FROM notification n
    WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = (r.app_id, r.device_id, r.notification_id, r.occurrence))
  FROM notification_change o
  WHERE o.sign = -1
    AND (r.app_id, r.device_id, r.notification_id, r.occurrence) = (o.app_id, o.device_id, o.notification_id, o.occurrence);

  INSERT INTO cohort_removal AS r
  SELECT e.*, n.cohort_at, n.shown_at, n.category, n.responded, n.withdrawn
  FROM (
    SELECT app_id, device_id, notification_id, coalesce(occurrence, '-infinity') AS occurrence,
      coalesce(data->>'reason', '') AS reason,
      min(effective_at) FILTER (WHERE data->>'state' = 'pending') AS pending_at,
      min(effective_at) FILTER (WHERE data->>'state' = 'delivered') AS delivered_at,
      min(effective_at) FILTER (WHERE data->>'state' IS NULL) AS unstated_at
    FROM projection.batch(after, upto)
    WHERE kind = 'removal' AND notification_id IS NOT NULL AND device_id <> ''
    GROUP BY 1, 2, 3, 4, 5
  ) e
  LEFT JOIN notification n USING (app_id, device_id, notification_id, occurrence)
  ON CONFLICT (app_id, device_id, notification_id, occurrence, reason) DO UPDATE SET
    pending_at = least(r.pending_at, excluded.pending_at),
    delivered_at = least(r.delivered_at, excluded.delivered_at),
    unstated_at = least(r.unstated_at, excluded.unstated_at)
  WHERE (least(r.pending_at, excluded.pending_at), least(r.delivered_at, excluded.delivered_at),
      least(r.unstated_at, excluded.unstated_at)) IS DISTINCT FROM (r.pending_at, r.delivered_at, r.unstated_at);

  UPDATE cohort_extension x
  SET (cohort_at, app_version, reached, latency) = (
    SELECT n.cohort_at, n.app_version, n.reached_seen OR n.reached_assumed, n.responded_at - coalesce(n.shown_at, n.cohort_at)
    FROM notification n
    WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = (x.app_id, x.device_id, x.notification_id, x.occurrence))
  FROM notification_change o
  WHERE o.sign = -1
    AND (x.app_id, x.device_id, x.notification_id, x.occurrence) = (o.app_id, o.device_id, o.notification_id, o.occurrence);

  INSERT INTO cohort_extension
  SELECT e.*, n.cohort_at, n.app_version, n.reached_seen OR n.reached_assumed,
    n.responded_at - coalesce(n.shown_at, n.cohort_at)
  FROM (
    SELECT app_id, device_id, notification_id, coalesce(occurrence, '-infinity') AS occurrence, effective_at AS at, id,
      data#>>'{extension,outcome}', (data#>>'{extension,duration_ms}')::integer,
      (data#>>'{extension,attachments_loaded}')::integer, (data#>>'{extension,attachments_failed}')::integer
    FROM projection.batch(after, upto)
    WHERE kind = 'delivery' AND data->>'source' = 'service_extension'
      AND notification_id IS NOT NULL AND device_id <> ''
    ORDER BY 1, 2, 3, 4
  ) e
  LEFT JOIN notification n USING (app_id, device_id, notification_id, occurrence);

  UPDATE cohort_action a
  SET (cohort_at, shown_at, category, app_version, counts, response_only) = (
    SELECT n.cohort_at, n.shown_at, n.category, n.app_version,
      CASE WHEN a.is_dismissal THEN n.dismiss_observable ELSE n.reached_seen OR n.reached_assumed END, n.response_only
    FROM notification n
    WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = (a.app_id, a.device_id, a.notification_id, a.occurrence))
  FROM notification_change o
  WHERE o.sign = -1 AND (o.responded OR o.dismissed)
    AND (a.app_id, a.device_id, a.notification_id, a.occurrence) = (o.app_id, o.device_id, o.notification_id, o.occurrence);

  INSERT INTO cohort_action AS a
  SELECT e.app_id, e.device_id, e.notification_id, e.occurrence, e.action_id, false, t.first_at,
    CASE WHEN t.callbacks = 0 OR t.in_extension > 0 THEN t.in_extension ELSE 1 END,
    n.cohort_at, n.shown_at, n.category, n.app_version, n.reached_seen OR n.reached_assumed, n.response_only
  FROM notification_action_batch e
  CROSS JOIN LATERAL (
    SELECT t.first_at, t.callbacks, t.in_extension
    FROM notification_action t
    WHERE (t.app_id, t.device_id, t.notification_id, t.occurrence, t.action_id)
      = (e.app_id, e.device_id, e.notification_id, e.occurrence, e.action_id)
    OFFSET 0   -- so that each is looked up, whatever the planner believes of the batch
  ) t
  CROSS JOIN LATERAL (
    SELECT n.cohort_at, n.shown_at, n.category, n.app_version, n.reached_seen, n.reached_assumed, n.response_only
    FROM notification n
    WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = (e.app_id, e.device_id, e.notification_id, e.occurrence)
    OFFSET 0
  ) n
  UNION ALL
  SELECT app_id, device_id, notification_id, occurrence, 'dismiss', true, n.dismissed_at, 1,
    n.cohort_at, n.shown_at, n.category, n.app_version, n.dismiss_observable, n.response_only
  FROM notification_change n
  WHERE n.sign = 1 AND n.dismissed
  ON CONFLICT (app_id, device_id, notification_id, occurrence, action_id, is_dismissal) DO UPDATE
  SET first_at = excluded.first_at, presses = excluded.presses
  WHERE (a.first_at, a.presses) <> (excluded.first_at, excluded.presses);

  PERFORM projection.only_index_lookups(false);
END $$;
