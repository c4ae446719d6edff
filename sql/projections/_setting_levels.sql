-- What settings say of each that may be turned down, as bits: those that are on, and 16 higher those that are off. The slots are those
-- of projection.turned_down_settings.
--
-- Whether the app may notify is read of every snapshot. The softer settings are read only of those with full authorization, as the
-- others force them. What a snapshot leaves out is unknown: neither on nor off.
CREATE OR REPLACE FUNCTION projection.setting_levels(settings jsonb) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE settings->>'authorization_status' WHEN 'denied' THEN 1 << 16 WHEN 'authorized' THEN 1 WHEN 'provisional' THEN 1
      WHEN 'ephemeral' THEN 1 ELSE 0 END
    | CASE WHEN settings->>'authorization_status' IN ('authorized', 'ephemeral') THEN
        CASE settings->>'alert' WHEN 'enabled' THEN 1 << 1 WHEN 'disabled' THEN 1 << 17 ELSE 0 END
        | CASE settings->>'sound' WHEN 'enabled' THEN 1 << 2 WHEN 'disabled' THEN 1 << 18 ELSE 0 END
        | CASE settings->>'badge' WHEN 'enabled' THEN 1 << 3 WHEN 'disabled' THEN 1 << 19 ELSE 0 END
        | CASE settings->>'lock_screen' WHEN 'enabled' THEN 1 << 4 WHEN 'disabled' THEN 1 << 20 ELSE 0 END
        | CASE settings->>'notification_center' WHEN 'enabled' THEN 1 << 5 WHEN 'disabled' THEN 1 << 21 ELSE 0 END
        | CASE settings->>'time_sensitive' WHEN 'enabled' THEN 1 << 6 WHEN 'disabled' THEN 1 << 22 ELSE 0 END
        | CASE settings->>'scheduled_delivery' WHEN 'disabled' THEN 1 << 7 WHEN 'enabled' THEN 1 << 23 ELSE 0 END
      ELSE 0 END
$$;

-- The settings that may be turned down, in the order of their slots. scheduled_delivery is turned on: it delays.
CREATE OR REPLACE FUNCTION projection.turned_down_settings() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT '{authorization_status,alert,sound,badge,lock_screen,notification_center,time_sensitive,scheduled_delivery}'::text[]
$$;
