-- The dimensions of notifications: those that the rollups have too, the settings in force, and the app's own.
CREATE OR REPLACE FUNCTION reporting.notification_dimensions(app_number integer) RETURNS text[]
LANGUAGE sql STABLE AS $$
  SELECT '{category,requested_category,trigger,interruption_level,campaign,variant,platform,os_version,app_version,locale}'::text[]
    || reporting.row_dimensions(app_number)
$$;

-- The same by the app's name; without its own where there is no such app.
CREATE OR REPLACE FUNCTION reporting.notification_dimensions(app text) RETURNS text[]
LANGUAGE sql STABLE AS $$
  SELECT reporting.notification_dimensions((SELECT a.app_id FROM notilog.app a WHERE a.name = app))
$$;
