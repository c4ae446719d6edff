-- The Live Activities of an app, as far as events up to a time tell: when each was first heard of, and how it went on.
CREATE OR REPLACE FUNCTION reporting.live_activities(app integer, as_of timestamptz)
RETURNS TABLE (
  device_id text, activity_id text, at timestamptz, id uuid, attributes_type text, started_by text, updates_by text,
  context jsonb, stale_at timestamptz, ended_at timestamptz, dismissed_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT a.device_id, a.activity_id, min(a.at), (array_agg(a.id ORDER BY a.at, a.id))[1],
    (array_agg(a.attributes_type ORDER BY a.at, a.id) FILTER (WHERE a.attributes_type IS NOT NULL))[1],
    (array_agg(a.started_by ORDER BY a.at, a.id) FILTER (WHERE a.started_by IS NOT NULL))[1],
    (array_agg(a.updates_by ORDER BY a.at, a.id) FILTER (WHERE a.updates_by IS NOT NULL))[1],
    (array_agg(a.context ORDER BY a.at, a.id))[1],
    min(a.at) FILTER (WHERE a.state = 'stale'), min(a.at) FILTER (WHERE a.state = 'ended'),
    min(a.at) FILTER (WHERE a.state = 'dismissed')
  FROM projection.live_activity a
  WHERE a.app_id = app AND a.at <= as_of
  GROUP BY a.device_id, a.activity_id
$$;
