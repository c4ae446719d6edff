-- report: opt_outs
-- purpose: Which notifications make people turn notifications off, or down: one row per category, and per interval if
--   requested. A change is seen only at the next snapshot of settings, so it is shared equally among the notifications that
--   reached the device between the last unchanged snapshot and the first changed one. Counts may be fractions; they show what
--   preceded a change, not its cause. Changes without a preceding notification are in a row that is not `attributed` (only
--   without filters). A row `other` sums everything beyond `limit`.
-- reads: notification, cohort, engagement, device_period, device_token, authorization
-- by rows: changes of settings, each one, of a table of their own that has the notifications before it; times that people opened the
--   settings, and tokens that died, each with the notification before it; with filters the notifications before changes
--
-- parameter: interval
-- parameter: from | Notifications at or after this time, whenever the change was seen; unattributed changes at or after this
--   time
-- parameter: to
-- parameter: tz
-- parameter: window | A device that opened the settings, or whose token died, counts for the newest notification that reached
--   it within this time before
-- parameter: mature
-- parameter: limit | How many categories have rows of their own: those with the most notifications reached over the whole
--   range; all others share one row, `other`
-- filters: $notification_dimensions
-- table: interval_start, category, attributed, reached, opt_outs, opt_outs_per_1000, softer, softer_per_1000, gap_p50,
--   ambiguous, open_settings, tokens_died, sound_off, lock_screen_off, badge_off
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: category | text | | The category that the person saw; null if the notification carried none
-- column: other | boolean | | True in the row of all categories beyond `limit`
-- column: attributed | boolean | | False in the row of changes without a preceding notification
-- column: reached | bigint | notifications | Reached; null where not attributed
-- column: opt_outs | double precision | devices | Changes to denied from authorized, provisional or ephemeral
-- column: opt_outs_per_1000 | double precision | per 1000 | 1,000 × `opt_outs` ÷ `reached`
-- column: softer | double precision | changes | The sum of the changes below: of devices that may still be notified
-- column: softer_per_1000 | double precision | per 1000 | 1,000 × `softer` ÷ `reached`
-- column: alert_off | double precision | changes | Banners turned off
-- column: sound_off | double precision | changes | Sound turned off
-- column: badge_off | double precision | changes | Badges turned off
-- column: lock_screen_off | double precision | changes | Turned off on the lock screen
-- column: notification_center_off | double precision | changes | Turned off in Notification Center
-- column: time_sensitive_off | double precision | changes | Turned off as time sensitive
-- column: scheduled_delivery_on | double precision | changes | Put into the scheduled summary
-- column: changes | bigint | changes | Distinct changes of which the row has a share
-- column: ambiguous | bigint | changes | Of them, shared among several notifications
-- column: gap_p50 | double precision | seconds | Median time between the two snapshots around a change
-- column: open_settings | bigint | events | People opened the app's notification settings; counts for the newest
--   notification that reached the device within window before
-- column: tokens_died | bigint | tokens | Alert tokens that the provider reported dead and that were not registered again:
--   an upper bound of uninstalls; counts for the newest notification that reached the device within window before
CREATE OR REPLACE FUNCTION report.opt_outs(
  app text, "interval" text DEFAULT 'none', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', "window" interval DEFAULT '72 hours', mature boolean DEFAULT false, filters jsonb DEFAULT '{}',
  "limit" integer DEFAULT 1000, as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, category text, other boolean, attributed boolean, reached bigint, opt_outs double precision,
  opt_outs_per_1000 double precision, softer double precision, softer_per_1000 double precision,
  alert_off double precision, sound_off double precision, badge_off double precision, lock_screen_off double precision,
  notification_center_off double precision, time_sensitive_off double precision, scheduled_delivery_on double precision,
  changes bigint, ambiguous bigint, gap_p50 double precision, open_settings bigint, tokens_died bigint, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app);
  app_number integer := reporting.app_id(app);
  near       interval := (reporting.window_buckets("window")).length;
  period     record;
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.divided_period("interval", "from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  PERFORM reporting.filters(filters, accepted);
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH reached AS MATERIALIZED (
      SELECT slot, category, sum(reached)::bigint AS reached
      FROM reporting.category_counts($1, $2, $3, $4)
      GROUP BY 1, 2
      HAVING sum(reached) > 0
    ), told AS MATERIALIZED (   -- each change with each category before it, or events
      SELECT slot, attributed, what, gap, share, ordinality AS change, unnest(categories) AS category, unnest(numbers) AS number
      FROM reporting.opt_outs_counts($1, $2, $3, $7, $4, $8) WITH ORDINALITY
    ), named AS (
      SELECT category, reached FROM reached
      UNION ALL
      SELECT category, 0 FROM told WHERE attributed
    ), %s, keyed AS MATERIALIZED (   -- under 0 what nothing came before
      SELECT t.*, CASE WHEN t.attributed THEN k.key ELSE 0 END AS key
      FROM told t
      LEFT JOIN key k ON t.attributed AND k.category = t.category
    ), change AS (
      SELECT slot, key, what AS setting, sum(share * number) AS share, bool_or(share < 1) AS ambiguous, gap
      FROM keyed
      WHERE share IS NOT NULL
      GROUP BY slot, key, change, what, gap
    ), changed AS (
      SELECT slot, key, count(*) AS changes, count(*) FILTER (WHERE ambiguous) AS ambiguous,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY gap) AS gap,
        coalesce(sum(share) FILTER (WHERE setting = 'authorization_status'), 0) AS authorization_status,
        coalesce(sum(share) FILTER (WHERE setting = 'alert'), 0) AS alert,
        coalesce(sum(share) FILTER (WHERE setting = 'sound'), 0) AS sound,
        coalesce(sum(share) FILTER (WHERE setting = 'badge'), 0) AS badge,
        coalesce(sum(share) FILTER (WHERE setting = 'lock_screen'), 0) AS lock_screen,
        coalesce(sum(share) FILTER (WHERE setting = 'notification_center'), 0) AS notification_center,
        coalesce(sum(share) FILTER (WHERE setting = 'time_sensitive'), 0) AS time_sensitive,
        coalesce(sum(share) FILTER (WHERE setting = 'scheduled_delivery'), 0) AS scheduled_delivery,
        coalesce(sum(share) FILTER (WHERE setting <> 'authorization_status'), 0) AS softer
      FROM change
      GROUP BY 1, 2
    ), beside AS (
      SELECT slot, key, sum(number) FILTER (WHERE what = 'open_settings')::bigint AS open_settings,
        sum(number) FILTER (WHERE what = 'died')::bigint AS tokens_died
      FROM keyed
      WHERE share IS NULL
      GROUP BY 1, 2
    )
    SELECT $5[slot], nullif(k.category, ''), key > $6, key > 0, reached, coalesce(authorization_status, 0)::double precision,
      (coalesce(authorization_status, 0) * 1000 / nullif(reached, 0))::double precision, coalesce(softer, 0)::double precision,
      (coalesce(softer, 0) * 1000 / nullif(reached, 0))::double precision, coalesce(alert, 0)::double precision,
      coalesce(sound, 0)::double precision, coalesce(badge, 0)::double precision, coalesce(lock_screen, 0)::double precision,
      coalesce(notification_center, 0)::double precision, coalesce(time_sensitive, 0)::double precision,
      coalesce(scheduled_delivery, 0)::double precision, coalesce(changes, 0), coalesce(ambiguous, 0),
      extract(epoch FROM gap)::double precision, coalesce(open_settings, 0), coalesce(tokens_died, 0),
      (SELECT count(*) FROM key)
    FROM (
      SELECT slot, key, r.reached, c.changes, c.ambiguous, c.gap, c.softer, c.authorization_status,
        c.alert, c.sound, c.badge, c.lock_screen, c.notification_center, c.time_sensitive, c.scheduled_delivery,
        b.open_settings, b.tokens_died
      FROM (
        SELECT slot, k.key, sum(reached)::bigint AS reached FROM reached JOIN key k USING (category) GROUP BY 1, 2
      ) r
      FULL JOIN changed c USING (slot, key)
      FULL JOIN beside b USING (slot, key)
    ) whole
    LEFT JOIN (SELECT * FROM key WHERE key <= $6) k USING (key)
    ORDER BY slot, key = 0, key > $6, nullif(k.category, '') COLLATE "C" NULLS LAST
  $query$, reporting.keys('named', '{category}', 'reached', '$6'))
  USING app_number, period.starts, period.to_at, filters, period.labels, "limit", near, as_of;
END $$;
