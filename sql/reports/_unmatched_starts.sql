-- The pushes that were to start a Live Activity, that APNs accepted, and to which no activity belongs: each activity that a push
-- started belongs to the earliest such push of its device and type within an hour before it to which none belongs yet. Ids of
-- events are unique within a device.
CREATE OR REPLACE FUNCTION reporting.unmatched_starts(app integer, as_of timestamptz) RETURNS TABLE (device_id text, id uuid)
LANGUAGE plpgsql STABLE ROWS 100 AS $$
DECLARE
  step    record;
  device  text;
  type    text;
  pending uuid[] := '{}';
  times   timestamptz[] := '{}';
  free    integer := 1;   -- the first pending one that none belongs to; to cut off those before it would copy the rest each time
BEGIN
  FOR step IN
    SELECT * FROM (
      SELECT p.device_id, coalesce(p.attributes_type, '') AS attributes_type, p.at, true AS is_push, p.id
      FROM projection.live_activity_push p
      WHERE p.app_id = app AND p.at <= as_of AND p.event = 'start' AND coalesce((   -- not EXISTS: that reads all notifications
        SELECT n.push_accepted FROM projection.notification n
        WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = (p.app_id, p.device_id, p.notification_id, p.occurrence)), false)
      UNION ALL
      SELECT a.device_id, coalesce(a.attributes_type, ''), a.at, false, a.id
      FROM reporting.live_activities(app, as_of) a
      WHERE a.started_by = 'push'
    ) s
    ORDER BY s.device_id, s.attributes_type, s.at, s.is_push DESC, s.id
  LOOP
    IF step.device_id IS DISTINCT FROM device OR step.attributes_type IS DISTINCT FROM type THEN
      RETURN QUERY SELECT device, left_over FROM unnest(pending[free:]) AS left_over;
      device := step.device_id;
      type := step.attributes_type;
      pending := '{}';
      times := '{}';
      free := 1;
    END IF;
    WHILE free <= cardinality(times) AND times[free] <= step.at - interval '1 hour' LOOP
      device_id := device;
      id := pending[free];
      RETURN NEXT;
      free := free + 1;
    END LOOP;
    IF step.is_push THEN
      pending := pending || step.id;
      times := times || step.at;
    ELSIF free <= cardinality(times) THEN
      free := free + 1;
    END IF;
  END LOOP;
  RETURN QUERY SELECT device, left_over FROM unnest(pending[free:]) AS left_over;
END $$;
