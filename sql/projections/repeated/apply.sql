-- projection: repeated
-- with: notification
-- after: notification

-- Each event of the batch counts, and of what has several the first does not, nor what was the first before.
CREATE OR REPLACE FUNCTION repeated_apply(after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql SET client_min_messages = warning SET jit = off SET enable_nestloop = off SET enable_mergejoin = off AS $$
BEGIN
  CREATE TEMP TABLE IF NOT EXISTS repeated_batch (LIKE repeated) ON COMMIT DELETE ROWS;
  IF EXISTS (SELECT FROM repeated_batch) THEN
    TRUNCATE repeated_batch;
  END IF;

  INSERT INTO repeated_batch
  SELECT app_id, date_bin('15 minutes', received_at, 'epoch'), kind, sum(events)
  FROM (
    SELECT n.app_id, 'request' AS kind, x.received_at, x.events
    FROM (
      SELECT * FROM notification_new WHERE requests > 1 AND occurrence <> 'infinity'
    ) n
    JOIN (
      SELECT * FROM notification_batch WHERE request_times IS NOT NULL
    ) b USING (app_id, device_id, notification_id, occurrence)
    LEFT JOIN notification_old o USING (app_id, device_id, notification_id, occurrence)
    CROSS JOIN LATERAL (
      SELECT t, 1 FROM unnest(b.request_times) t
      UNION ALL
      VALUES (n.request_received_at, -1), (o.request_received_at, 1)
    ) x (received_at, events)
    UNION ALL
    SELECT b.app_id, 'action_response', x.received_at, x.events
    FROM notification_action_batch b
    LEFT JOIN notification_action_old o USING (app_id, device_id, notification_id, occurrence, action_id)
    CROSS JOIN LATERAL (
      SELECT t, 1 FROM unnest(b.callback_times) t
      UNION ALL
      SELECT least(o.callback_received_at, b.callback_received_at), -1
      WHERE b.in_extension = 0 AND coalesce(o.in_extension, 0) = 0
      UNION ALL
      SELECT o.callback_received_at, 1 WHERE o.in_extension = 0
    ) x (received_at, events)
    WHERE b.callbacks + coalesce(o.callbacks, 0) > 1 OR b.in_extension + coalesce(o.in_extension, 0) > 0
  ) x
  WHERE received_at IS NOT NULL
  GROUP BY 1, 2, 3
  HAVING sum(events) <> 0;

  INSERT INTO repeated AS r
  TABLE repeated_batch
  ON CONFLICT (app_id, bucket, kind) DO UPDATE SET events = r.events + excluded.events;

  DELETE FROM repeated r
  USING repeated_batch b
  WHERE CASE r.events WHEN 0 THEN true END AND (r.app_id, r.bucket, r.kind) = (b.app_id, b.bucket, b.kind);
END $$;
