-- projection: cohort_event
-- with: notification
-- after: notification

-- What is stored of the runs of service extensions for notifications, each under the number of its notification.
CREATE OR REPLACE FUNCTION cohort_runs_known(apps integer[], devices text[], ids text[], occurrences timestamptz[])
RETURNS TABLE (ordinal integer, outcome text, duration_ms integer, attachments_loaded integer, attachments_failed integer)
LANGUAGE sql STABLE AS $$
  SELECT k.ordinal, e.outcome, e.duration_ms, e.attachments_loaded, e.attachments_failed
  FROM notification_keys(apps, devices, ids, occurrences) k
  CROSS JOIN LATERAL (
    SELECT * FROM cohort_extension e
    WHERE (e.app_id, e.device_id, e.notification_id, e.occurrence) = (k.app_id, k.device_id, k.notification_id, k.occurrence)
    ORDER BY e.at, e.id   -- by the primary key, also in a plan made while the table is empty
    OFFSET 0
  ) e
$$;

-- The same of actions, dismissals among them.
CREATE OR REPLACE FUNCTION cohort_presses_known(apps integer[], devices text[], ids text[], occurrences timestamptz[])
RETURNS TABLE (ordinal integer, action_id text, is_dismissal boolean, first_at timestamptz, presses integer)
LANGUAGE sql STABLE AS $$
  SELECT k.ordinal, a.action_id, a.is_dismissal, a.first_at, a.presses
  FROM notification_keys(apps, devices, ids, occurrences) k
  CROSS JOIN LATERAL (
    SELECT * FROM cohort_action a
    WHERE (a.app_id, a.device_id, a.notification_id, a.occurrence) = (k.app_id, k.device_id, k.notification_id, k.occurrence)
    ORDER BY a.action_id, a.is_dismissal
    OFFSET 0
  ) a
$$;

-- The same of removals.
CREATE OR REPLACE FUNCTION cohort_removals_known(apps integer[], devices text[], ids text[], occurrences timestamptz[])
RETURNS TABLE (ordinal integer, reason text, pending_at timestamptz, delivered_at timestamptz, unstated_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT k.ordinal, r.reason, r.pending_at, r.delivered_at, r.unstated_at
  FROM notification_keys(apps, devices, ids, occurrences) k
  CROSS JOIN LATERAL (
    SELECT * FROM cohort_removal r
    WHERE (r.app_id, r.device_id, r.notification_id, r.occurrence) = (k.app_id, k.device_id, k.notification_id, k.occurrence)
    ORDER BY r.reason
    OFFSET 0
  ) r
$$;
