-- One row per notification, in its current state: its attributes, its stages, and the device at cohort_at.
--
--   change               the number of the row's last change: of two versions the higher one counts
--   row_id               the row's key, stable, except that an erasure gives the row another one
--   tombstone            true if the row is to be deleted; all other columns are null
--   device_id, notification_id, occurrence   the notification; occurrence is null unless it is a firing of a repeating request
--   cohort_at            the time it is counted under
--   shown_at             the start of its time to action
--   requested_at, scheduled_for, delivered_at, delivery_at, presentation_at, responded_at, dismissed_at, withdrawn_at
--                        the earliest of each
--   requested … response_only   the stages, see docs/semantics.md
--   reached_seen, reached_assumed   the two ways to be reached; whether it is due (cohort_at) is for the reader to derive
--   opened, acted, replied, app_opened   the kind of the first response
--   dismiss_observable, delivery_observable   whether iOS could report it
--   action_id            of the first response
--   updates, duplicate_callbacks   events beyond the first
--   category … thread    of the message
--   platform … time_zone of the device, at cohort_at
--   attributes           the values of the app's own dimensions by key, each a string; null where there is none
CREATE OR REPLACE FUNCTION export.notifications(app integer)
RETURNS TABLE (app_id integer, device_id text, notification_id text, occurrence timestamptz, cohort_at timestamptz,
  shown_at timestamptz, requested_at timestamptz, scheduled_for timestamptz, delivered_at timestamptz,
  delivery_at timestamptz, presentation_at timestamptz, responded_at timestamptz, dismissed_at timestamptz,
  withdrawn_at timestamptz, requested boolean, failed boolean, reached_seen boolean, reached_assumed boolean,
  delivered boolean, presented boolean, suppressed boolean, silent boolean, responded boolean, opened boolean,
  acted boolean, replied boolean, app_opened boolean, dismissed boolean, withdrawn boolean, response_only boolean,
  dismiss_observable boolean, delivery_observable boolean, action_id text, updates integer, duplicate_callbacks integer,
  category text, requested_category text, trigger text, interruption_level text, campaign text, variant text, thread text,
  platform text, os_version text, app_version text, locale text, time_zone text,
  attributes jsonb)
LANGUAGE sql STABLE AS $$
  SELECT n.app_id, n.device_id, n.notification_id, n.occurrence, n.cohort_at, n.shown_at, n.requested_at, n.scheduled_for,
    n.delivered_at, n.delivery_at, n.presentation_at, n.responded_at, n.dismissed_at, n.withdrawn_at, n.requested,
    n.failed, n.reached_seen, n.reached_assumed, n.delivered, n.presented, n.suppressed, n.silent, n.responded, n.opened,
    n.acted, n.replied, n.app_opened, n.dismissed, n.withdrawn, n.response_only, n.dismiss_observable,
    n.delivery_observable, n.action_id, greatest(n.requests - 1, 0), n.duplicate_callbacks, n.category,
    n.requested_category, n.trigger, n.interruption_level, n.campaign, n.variant, n.thread, n.platform, n.os_version,
    n.app_version, n.locale, n.time_zone,
    -- The table's column, or where it is not there until the group is rebuilt, that of the same name outside.
    (SELECT attributes FROM (SELECT n.*) own)
  FROM projection.notification n
  CROSS JOIN (SELECT NULL::jsonb AS attributes) AS absent
  WHERE n.app_id = app AND n.occurrence <> 'infinity'   -- a schedule is not a notification
$$;

-- Besides the events of its own device, a notification depends on the categories that the app registered, but not on the
-- titles of their buttons, which differ from device to device. Notifications follow a change in slices: the basis contains
-- the end of that, not its progress, and how many a slice could not update: they may be updated later.
CREATE OR REPLACE FUNCTION export.notifications_basis(app integer) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT concat_ws(' ', (
      SELECT string_agg(concat_ws(' ', p.lane, CASE
        WHEN p.unfinished_after IS NOT NULL THEN projection.unfinished_of_app(app) END), ' ' ORDER BY p.lane)
      FROM projection.checkpoint p WHERE p.name = 'notification'),
    (SELECT 'skipped ' || s.notifications FROM projection.skipped() s WHERE s.app_id = app),
    string_agg(concat_ws(' ', c.lane, c.app_version, c.category_id, c.custom_dismiss, projection.category_behaviour(c.definition)), ' '
      ORDER BY c.lane, c.category_id, c.app_version))
  FROM export.lane_categories(app) c
$$;

-- The categories as each lane knows them: of those beyond the first where the version in use has lanes.
CREATE OR REPLACE FUNCTION export.lane_categories(app integer)
RETURNS TABLE (lane smallint, app_version text, category_id text, custom_dismiss boolean, definition jsonb)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY
  SELECT 0::smallint, c.app_version, c.category_id, c.custom_dismiss, c.definition FROM projection.category c WHERE c.app_id = app;
  IF to_regclass('projection.lane_category') IS NOT NULL THEN
    RETURN QUERY
    SELECT c.lane, c.app_version, c.category_id, c.custom_dismiss, c.definition FROM projection.lane_category c WHERE c.app_id = app;
  END IF;
END $$;
SELECT export.declare('notifications', '{device_id,notification_id,occurrence}', '{notification}', touched => 'own_devices');
