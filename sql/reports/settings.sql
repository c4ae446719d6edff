-- report: settings
-- purpose: How many devices have which notification setting at the end of each interval, and how many changed: one row per
--   state, and per interval if requested. A device counts from its first snapshot; a change is seen only at the next one. The
--   filter `authorization_status` takes devices by their newest snapshot in or before the range.
-- reads: device_period
-- by rows: periods of unchanged settings, each one
--
-- parameter: setting | choice | authorization_status | authorization_status, alert, sound, badge, lock_screen,
--   notification_center, car_play, critical_alert, announcement, time_sensitive, scheduled_delivery, direct_messages,
--   alert_style, show_previews, provides_app_notification_settings, live_activities | The setting whose states are counted
-- parameter: interval
-- parameter: from | Changes at or after this time
-- parameter: to | Changes before this time
-- parameter: tz
-- filters: platform, os_version, app_version, locale, authorization_status
-- table: interval_start, state, devices, share, appeared, entered, left, entered_from
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: state | text | | The setting's value; null if the snapshot did not state it
-- column: devices | bigint | devices | In this state at the end of the interval
-- column: share | double precision | fraction | Share of all devices known then
-- column: appeared | bigint | devices | Of them, without a snapshot before the interval
-- column: entered | bigint | devices | Of them, in another state at the interval's start
-- column: left | bigint | devices | In this state at the interval's start, and in another at its end
-- column: entered_from | jsonb | devices | `entered` by the state at the interval's start ("unknown" for null)
CREATE OR REPLACE FUNCTION report.settings(
  app text, setting text DEFAULT 'authorization_status', "interval" text DEFAULT 'none',
  "from" text DEFAULT NULL, "to" text DEFAULT NULL, tz text DEFAULT 'UTC',
  filters jsonb DEFAULT '{}', as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, state text, devices bigint, share double precision, appeared bigint, entered bigint,
  "left" bigint, entered_from jsonb)
LANGUAGE plpgsql STABLE SET jit = off AS $$
#variable_conflict use_column
DECLARE
  app_number integer := reporting.app_id(app);
  period     record;
  bounds     timestamptz[];   -- where states are read: the start, then each interval's end
BEGIN
  PERFORM reporting.choice('setting', setting, '{authorization_status,alert,sound,badge,lock_screen,notification_center,car_play,critical_alert,announcement,time_sensitive,scheduled_delivery,direct_messages,alert_style,show_previews,provides_app_notification_settings,live_activities}');
  PERFORM reporting.filters(filters, '{platform,os_version,app_version,locale,authorization_status}');
  period := reporting.divided_period("interval", "from", "to", tz, as_of);
  IF period.starts IS NULL THEN
    RETURN;
  END IF;
  bounds := period.from_at || period.ends;

  RETURN QUERY
  WITH flow AS MATERIALIZED (
    SELECT c.slot, c.state, c.previous, sum(c.devices) AS devices
    FROM reporting.settings_counts(app_number, setting, filters, bounds) c
    GROUP BY 1, 2, 3
  ), change AS (
    SELECT slot, state, sum(appeared)::bigint AS appeared, sum(entered)::bigint AS entered, sum(gone)::bigint AS gone,
      jsonb_object_agg(coalesce(nullif(previous, ''), 'unknown'), entered) FILTER (WHERE entered > 0) AS entered_from
    FROM (
      SELECT slot, state, previous, CASE WHEN previous IS NULL THEN devices ELSE 0 END AS appeared,
        CASE WHEN previous IS NULL THEN 0 ELSE devices END AS entered, 0 AS gone
      FROM flow
      UNION ALL
      SELECT slot, previous, NULL, 0, 0, devices FROM flow WHERE previous IS NOT NULL
    ) part
    GROUP BY slot, state
  ), level AS (
    SELECT s.state, b.slot,
      sum(coalesce(c.appeared + c.entered - c.gone, 0)) OVER (PARTITION BY s.state ORDER BY b.slot)::bigint AS devices,
      coalesce(c.appeared, 0) AS appeared, coalesce(c.entered, 0) AS entered, coalesce(c.gone, 0) AS gone,
      coalesce(c.entered_from, '{}') AS entered_from
    FROM (SELECT DISTINCT state FROM change) s
    CROSS JOIN generate_series(0, cardinality(period.labels)) AS b (slot)
    LEFT JOIN change c USING (slot, state)
  )
  SELECT period.labels[slot], nullif(state, ''), devices, devices / nullif(sum(devices) OVER (PARTITION BY slot), 0)::double precision,
    appeared, entered, gone, entered_from
  FROM level
  WHERE slot > 0 AND (devices > 0 OR gone > 0)
  ORDER BY slot, nullif(state, '') COLLATE "C" NULLS LAST;
END $$;
