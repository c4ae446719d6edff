-- The events of a device, or of one of its notifications with any occurrence, oldest first: a limited number after
-- (after_at, after_id). Plain SQL that the planner inlines into the query around it.
CREATE OR REPLACE FUNCTION notilog.timeline(
  app integer, device text, notification text, after_at timestamptz, after_id uuid, most bigint)
RETURNS SETOF log.event
LANGUAGE sql STABLE AS $$
  SELECT e.*
  FROM log.upcast_event e
  WHERE e.app_id = app AND e.device_id = device AND (notification IS NULL OR e.notification_id = notification)
    AND (e.effective_at, e.id) > (after_at, after_id)
  ORDER BY e.effective_at, e.id
  LIMIT most
$$;
