-- The positions of a notification's events that its verdict leaves out: those that the projections have not come to, and those that
-- were set aside. The first twenty.
CREATE OR REPLACE FUNCTION notilog.events_not_applied(app integer, device text, notification text) RETURNS bigint[]
LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(position ORDER BY position), '{}')
  FROM (
    SELECT e.position
    FROM log.event e
    WHERE (e.app_id, e.device_id, e.notification_id) = (app, device, notification)
      AND (e.position > coalesce((   -- the slowest lane: an event of another may be in
          SELECT min(c.position) FROM projection.checkpoint c WHERE c.name IN ('notification', 'notification_ending')), 0)
        OR EXISTS (
          SELECT FROM projection.set_aside s
          WHERE s.schema_name = 'projection' AND s.leader IN ('notification', 'notification_ending') AND s.position = e.position))
    ORDER BY e.position
    LIMIT 20
  ) e
$$;
