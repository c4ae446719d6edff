-- The settings in force that a notification is counted by: of each its name as a dimension, its name in a settings event, where
-- its bits begin in the packed column notification.settings, and its words by their number, the first where no snapshot tells.
-- What is given out keeps its bits, or the projection has to be rebuilt: SettingsInForce in Swift has the same.
CREATE OR REPLACE FUNCTION reporting.settings_in_force()
RETURNS TABLE (name text, setting text, shift integer, mask integer, words text[])
LANGUAGE sql IMMUTABLE AS $$
  VALUES
    ('authorization_status', 'authorization_status', 0, 7, '{unknown,not_determined,denied,authorized,provisional,ephemeral}'::text[]),
    ('alert_style', 'alert_style', 3, 3, '{unknown,none,banner,alert}'),
    ('lock_screen', 'lock_screen', 5, 3, '{unknown,not_supported,disabled,enabled}'),
    ('notification_center', 'notification_center', 7, 3, '{unknown,not_supported,disabled,enabled}'),
    ('sound_setting', 'sound', 9, 3, '{unknown,not_supported,disabled,enabled}'),
    ('badge_setting', 'badge', 11, 3, '{unknown,not_supported,disabled,enabled}'),
    ('time_sensitive_setting', 'time_sensitive', 13, 3, '{unknown,not_supported,disabled,enabled}'),
    ('scheduled_delivery', 'scheduled_delivery', 15, 3, '{unknown,not_supported,disabled,enabled}'),
    ('show_previews', 'show_previews', 17, 3, '{unknown,always,when_authenticated,never}')
$$;

-- Their names as dimensions.
CREATE OR REPLACE FUNCTION reporting.settings_names() RETURNS text[]
LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg(name ORDER BY shift) FROM reporting.settings_in_force()
$$;

-- One of the packed settings in words; null for a name that is none of theirs.
CREATE OR REPLACE FUNCTION reporting.setting(settings integer, "name" text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT s.words[1 + ((settings >> s.shift) & s.mask)] FROM reporting.settings_in_force() s WHERE s.name = setting."name"
$$;

-- The settings in force of a device at a time, packed: its newest snapshot in the tie order at that time or before.
CREATE OR REPLACE FUNCTION reporting.settings_at(app_number integer, device text, at timestamptz) RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT coalesce(bit_or((array_position(s.words, p.value->>s.setting) - 1) << s.shift), 0)
  FROM (
    SELECT value FROM projection.device_period
    WHERE (app_id, device_id, series) = (app_number, device, 'settings') AND first_at <= at
    ORDER BY first_at DESC, first_id DESC LIMIT 1
  ) p
  CROSS JOIN reporting.settings_in_force() s
$$;
