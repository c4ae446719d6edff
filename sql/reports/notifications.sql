-- listing: notifications
-- purpose: The notifications behind a figure, newest first: their attributes, their device, and their stages. A state, an
--   action or a setting turned down lists as many as the report of it counts.
-- reads: notification, cohort, engagement, cohort_event, device_period
--
-- parameter: state | choice | any | any, requested, failed, reached, reached_seen, reached_assumed, unanswered, immature,
--   delivered, delivered_seen, presented, presented_seen, suppressed, silent, responded, opened, acted, replied, app_opened,
--   dismissed, withdrawn, response_only, dismiss_observable, delivery_observable | Only those that `engagement` counts in this
--   state; `unanswered` are reached, and neither responded to nor dismissed
-- parameter: action | text | any | an action's id, `default` or `dismiss`, as in `actions` | Only those on which it was
--   taken, whether first or later; those known only by a response require the state response_only, because `actions` counts
--   them separately
-- parameter: turned_off | choice | any | any, authorization_status, softer, alert, sound, badge, lock_screen,
--   notification_center, time_sensitive, scheduled_delivery | Only those that bear a share of people turning that down, as in
--   `opt_outs`; `softer` is any except authorization_status
-- parameter: from
-- parameter: to
-- parameter: tz | Time zone of dates
-- parameter: window | Time to respond: those younger are immature
-- parameter: mature
-- parameter: limit | whole | 100 | 1 to 1000 | The maximum number
-- parameter: cursor | text | none | next_cursor of the answer before | Those that follow
-- filters: $notification_dimensions
-- table: cohort_at, category, outcome, device_id, notification_id, campaign, platform, responded_at
--
-- column: cohort_at | timestamptz | | The time it is counted under
-- column: device_id | text | | The device, as in the log
-- column: notification_id | text | | The notification_id, else the request_identifier, as in the log
-- column: occurrence | timestamptz | | Which firing of a repeating request; null for others
-- column: outcome | text | | Its furthest stage: replied, acted, opened, dismissed, failed, withdrawn, suppressed, silent,
--   presented, delivered or requested
-- column: reached | text | | seen or assumed; null where it is not reached
-- column: first_action | text | | The first action taken on it
-- column: category | text | | The category that the person saw
-- column: campaign | text | | Its campaign
-- column: variant | text | | Its variant
-- column: trigger | text | | Its trigger
-- column: interruption_level | text | | Its interruption level
-- column: platform | text | | The device's, at cohort_at
-- column: os_version | text | | The device's, at cohort_at
-- column: app_version | text | | The device's, at cohort_at
-- column: locale | text | | The device's, at cohort_at
-- column: shown_at | timestamptz | | The start of its time to respond
-- column: responded_at | timestamptz | | Its first response
-- column: dismissed_at | timestamptz | | Its dismissal
-- column: immature | boolean | | Reached, but younger than window
-- column: opt_out_share | double precision | notifications | With turned_off, its share: 1 / the number of notifications
--   that may have caused the change
CREATE OR REPLACE FUNCTION report.notifications(
  app text, state text DEFAULT 'any', action text DEFAULT NULL, turned_off text DEFAULT 'any',
  "from" text DEFAULT NULL, "to" text DEFAULT NULL, tz text DEFAULT 'UTC',
  "window" interval DEFAULT '72 hours', mature boolean DEFAULT false, "limit" integer DEFAULT 100, cursor text DEFAULT NULL,
  filters jsonb DEFAULT '{}', as_of timestamptz DEFAULT now())
RETURNS TABLE (
  cohort_at timestamptz, device_id text, notification_id text, occurrence timestamptz, outcome text, reached text,
  first_action text, category text, campaign text, variant text, trigger text, interruption_level text, platform text,
  os_version text, app_version text, locale text, shown_at timestamptz, responded_at timestamptz,
  dismissed_at timestamptz, immature boolean, opt_out_share double precision, next_cursor text)
LANGUAGE plpgsql STABLE SET jit = off AS $$
DECLARE
  settings   constant text[] := '{alert,sound,badge,lock_screen,notification_center,time_sensitive,scheduled_delivery}';
  app_number integer := reporting.app_id(app);
  near       interval := (reporting.window_buckets("window")).length;
  period     record;
BEGIN
  period := reporting.period("from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  PERFORM reporting.time_zone(tz);
  PERFORM reporting.choice('state', state, '{any,requested,failed,reached,reached_seen,reached_assumed,unanswered,immature,delivered,delivered_seen,presented,presented_seen,suppressed,silent,responded,opened,acted,replied,app_opened,dismissed,withdrawn,response_only,dismiss_observable,delivery_observable}');
  PERFORM reporting.choice('turned_off', turned_off, '{any,authorization_status,softer}'::text[] || settings);
  IF "limit" IS NULL OR "limit" NOT BETWEEN 1 AND 1000 THEN
    PERFORM reporting.invalid('limit', 'limit must be 1 to 1000');
  END IF;
  PERFORM reporting.notifications_after(cursor);
  PERFORM reporting.filters(filters, reporting.notification_dimensions(app_number));

  RETURN QUERY
  SELECT n.*, reporting.notifications_cursor(n.cohort_at, n.device_id, n.notification_id, n.occurrence)
  FROM reporting.notifications_counts(app_number, state, action,
    CASE turned_off WHEN 'any' THEN NULL WHEN 'softer' THEN settings ELSE ARRAY[turned_off] END, period.from_at, period.to_at,
    as_of - near + interval '1 microsecond', "limit", cursor, filters, as_of) n
  ORDER BY n.cohort_at DESC, n.device_id COLLATE "C" DESC, n.notification_id COLLATE "C" DESC, n.occurrence DESC NULLS LAST
  LIMIT "limit";
END $$;
