-- The rows of dropped events take the settings that their device had at cohort_at (notification.settings), as they can't be
-- computed again. The group's baseline is registered again by the next retention, once the group is rebuilt.
DO $$
BEGIN
  IF to_regclass('baseline.notification') IS NULL THEN
    RETURN;
  END IF;
  ALTER TABLE baseline.notification ADD COLUMN settings integer NOT NULL DEFAULT 0;
  ALTER TABLE baseline.notification ALTER COLUMN settings DROP DEFAULT;
  UPDATE baseline.notification n
  SET settings = coalesce((
    SELECT bit_or(array_position(s.words, p.value->>s.setting) << s.shift)
    FROM (
      SELECT value FROM baseline.device_period p
      WHERE (p.app_id, p.device_id, p.series) = (n.app_id, n.device_id, 'settings') AND p.first_at <= n.cohort_at
      ORDER BY p.first_at DESC, p.first_id DESC LIMIT 1
    ) p
    CROSS JOIN (VALUES
      ('authorization_status', 0, '{not_determined,denied,authorized,provisional,ephemeral}'::text[]),
      ('alert_style', 3, '{none,banner,alert}'), ('lock_screen', 5, '{not_supported,disabled,enabled}'),
      ('notification_center', 7, '{not_supported,disabled,enabled}'), ('sound', 9, '{not_supported,disabled,enabled}'),
      ('badge', 11, '{not_supported,disabled,enabled}'), ('time_sensitive', 13, '{not_supported,disabled,enabled}'),
      ('scheduled_delivery', 15, '{not_supported,disabled,enabled}'),
      ('show_previews', 17, '{always,when_authenticated,never}')
    ) AS s (setting, shift, words)), 0)
  WHERE n.cohort_at IS NOT NULL;
  DELETE FROM projection.version WHERE (schema_name, leader) = ('baseline', 'notification');
END $$;
