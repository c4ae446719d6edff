-- The Live Activities of devices that tell of one, or that a push to one went to, in a range: when each was first heard of, and how it
-- went on, as far as events up to a time tell.
CREATE OR REPLACE FUNCTION reporting.live_activities(app integer, from_at timestamptz, to_at timestamptz, as_of timestamptz)
RETURNS TABLE (
  device_id text, activity_id text, at timestamptz, attributes_type text, started_by text, updates_by text, context jsonb,
  stale_at timestamptz, ended_at timestamptz, dismissed_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT a.device_id, a.activity_id, min(a.at), (array_agg(a.attributes_type) FILTER (WHERE a.attributes_type IS NOT NULL))[1],
    (array_agg(a.started_by) FILTER (WHERE a.started_by IS NOT NULL))[1],
    (array_agg(a.updates_by) FILTER (WHERE a.updates_by IS NOT NULL))[1], (array_agg(a.context))[1],
    min(a.at) FILTER (WHERE a.state = 'stale'), min(a.at) FILTER (WHERE a.state = 'ended'),
    min(a.at) FILTER (WHERE a.state = 'dismissed')
  FROM (   -- sorted once, for all aggregates
    SELECT * FROM projection.live_activity a
    WHERE a.app_id = app AND a.at <= as_of AND a.device_id IN (
      SELECT i.device_id FROM projection.live_activity i WHERE i.app_id = app AND i.at >= from_at AND i.at < to_at
      UNION ALL
      SELECT i.device_id FROM projection.live_activity_push i WHERE i.app_id = app AND i.at >= from_at AND i.at < to_at)
    ORDER BY a.activity_id, a.device_id, a.at, a.id
  ) a
  GROUP BY a.activity_id, a.device_id
$$;
