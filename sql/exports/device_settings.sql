-- The newest notification settings of each device.
--
--   change, row_id, tombstone   as in notifications.sql
--   device_id              the app's installation
--   first_seen_at, last_seen_at   the first and the last snapshot of any settings
--   since                  the first snapshot of these settings
--   authorization_status … provides_app_notification_settings   as in UNNotificationSettings; null: unknown
--   live_activities        enabled or disabled, as ActivityKit's ActivityAuthorizationInfo says; null: unknown
CREATE OR REPLACE FUNCTION export.device_settings(app integer)
RETURNS TABLE (app_id integer, device_id text, first_seen_at timestamptz, last_seen_at timestamptz, since timestamptz,
  authorization_status text, alert text, sound text, badge text, lock_screen text, notification_center text, car_play text,
  critical_alert text, announcement text, time_sensitive text, scheduled_delivery text, direct_messages text,
  alert_style text, show_previews text, provides_app_notification_settings boolean, live_activities text)
LANGUAGE sql STABLE AS $$
  SELECT p.app_id, p.device_id, f.first_at, p.last_at, p.first_at,
    p.value->>'authorization_status', p.value->>'alert', p.value->>'sound', p.value->>'badge', p.value->>'lock_screen',
    p.value->>'notification_center', p.value->>'car_play', p.value->>'critical_alert', p.value->>'announcement',
    p.value->>'time_sensitive', p.value->>'scheduled_delivery', p.value->>'direct_messages', p.value->>'alert_style',
    p.value->>'show_previews', (p.value->>'provides_app_notification_settings')::boolean,
    p.value->>'live_activities'
  FROM projection.device_period p
  CROSS JOIN LATERAL (
    SELECT min(f.first_at) FROM projection.device_period f
    WHERE (f.app_id, f.device_id, f.series) = (p.app_id, p.device_id, 'settings')) AS f (first_at)
  WHERE p.app_id = app AND p.series = 'settings'
    AND NOT EXISTS (SELECT FROM projection.device_period l
      WHERE (l.app_id, l.device_id, l.series) = (p.app_id, p.device_id, 'settings')
        AND (l.first_at, l.first_id) > (p.first_at, p.first_id))
$$;
SELECT export.declare('device_settings', '{device_id}', '{notification}', touched => 'own_devices');
