-- One row per notification, from the raw events: what nearly every report begins with.
CREATE VIEW notification AS
SELECT *,
  seen OR responded_at IS NOT NULL OR dismissed_at IS NOT NULL AS delivered,
  showed OR responded_at IS NOT NULL OR dismissed_at IS NOT NULL AS presented,
  responded_at IS NOT NULL AS responded,
  dismissed_at IS NOT NULL AS dismissed,
  (add_failed OR (answered AND NOT accepted)) AND NOT delivered AS failed,
  withdrawn_at IS NOT NULL AND NOT delivered AS withdrawn,
  (hid OR filtered) AND NOT presented AS hidden,
  coalesce(action_id = 'default', false) AS opened,
  (responded OR dismissed) AND NOT seen AND requested_at IS NULL AS response_only
FROM (
  SELECT *, assumeNotNull(cohort) AS cohort_at,
    coalesce(delivered_at, arrived_at, presentation_at, scheduled_for, if(is_push, requested_at, NULL)) AS shown_at
  FROM (
    SELECT *, coalesce(scheduled_for, requested_at, delivered_at, delivery_at, presentation_at, responded_at, dismissed_at) AS cohort,
      delivery_at IS NOT NULL OR presentation_at IS NOT NULL AS seen
    FROM (
      SELECT e.device_id AS device_id, e.notification_id AS notification_id, e.occurrence AS occurrence,
        minOrNullIf(e.effective_at, kind = 'request') AS requested_at,
        minOrNullIf(e.scheduled_for, kind = 'request') AS scheduled_for,
        minOrNullIf(e.delivered_at, kind <> 'request') AS delivered_at,
        minOrNullIf(e.effective_at, kind = 'delivery') AS delivery_at,
        minOrNullIf(e.effective_at, kind = 'delivery' AND coalesce(source, '') <> 'delivered_list') AS arrived_at,
        minOrNullIf(e.effective_at, kind = 'presentation') AS presentation_at,
        minOrNullIf(e.effective_at, kind = 'action_response') AS responded_at,
        minOrNullIf(e.effective_at, kind = 'dismissal') AS dismissed_at,
        minOrNullIf(e.effective_at, kind = 'removal' AND state = 'pending' AND coalesce(reason, '') <> 'replaced') AS withdrawn_at,
        countIf(kind = 'request' AND error IS NULL) > 0 AS requested,
        countIf(kind = 'request' AND error IS NOT NULL) > 0 AS add_failed,
        countIf(kind = 'request' AND (trigger = 'push' OR origin = 'provider')) > 0 AS is_push,
        countIf(kind = 'request' AND error IS NULL AND (trigger = 'push' OR origin = 'provider' OR e.scheduled_for IS NOT NULL
          OR trigger IS NULL OR trigger NOT IN ('calendar', 'location'))) > 0 AS due_known,
        countIf(kind = 'presentation' OR (kind = 'delivery' AND coalesce(source, '') <> 'background_wake')) > 0 AS witnessed,
        countIf(kind = 'push_result') > 0 AS answered,
        countIf(kind = 'push_result' AND status = 200) > 0 AS accepted,
        countIf(kind = 'presentation' AND (surface <> 'foreground' OR has_alert)) > 0 AS showed,
        countIf(kind = 'presentation' AND surface = 'foreground' AND NOT coalesce(has_alert, false)) > 0 AS hid,
        countIf(kind = 'delivery' AND outcome = 'filtered') > 0 AS filtered,
        countIf(kind = 'request' AND NOT e.alerting) = 0 AS alerting,
        argMinIf(e.action_id, e.effective_at, kind = 'action_response') AS action_id,
        argMinIf(e.has_text, e.effective_at, kind = 'action_response') AS replied,
        minOrNullIf(e.effective_at, kind = 'removal' AND state = 'delivered' AND coalesce(reason, '') NOT IN ('gone', 'replaced')) AS removed_at,
        minOrNullIf(e.effective_at, kind = 'removal' AND state = 'delivered' AND reason = 'gone') AS gone_at,
        coalesce(
          argMinIf(e.category, e.effective_at, kind = 'action_response'), argMinIf(e.category, e.effective_at, kind = 'dismissal'),
          argMinIf(e.category, e.effective_at, kind = 'presentation'), argMinIf(e.category, e.effective_at, kind = 'delivery'),
          argMinIf(e.category, e.effective_at, kind = 'request')) AS category,
        argMin(e.interruption_level, e.effective_at) AS interruption_level,
        countIf(kind = 'request' AND e.mutable_content) > 0 AS mutable_content,
        argMin(e.variant, e.effective_at) AS variant,
        argMin(e.campaign, e.effective_at) AS campaign
      FROM event e
      WHERE e.notification_id <> '' AND e.device_id IS NOT NULL AND NOT (kind = 'request' AND repeats)
        AND kind IN ('request', 'delivery', 'presentation', 'action_response', 'dismissal', 'removal', 'push_result')
      GROUP BY e.device_id, e.notification_id, e.occurrence
    )
  )
  WHERE cohort IS NOT NULL
);

-- The same, and whether it was reached, or nobody knows as its time is not: that takes the device's settings at the time.
CREATE VIEW reach AS
SELECT n.*, n.alerting AND NOT (n.failed OR n.withdrawn OR n.hidden)
  AND (n.witnessed OR (coalesce(s.authorization_status, '') <> 'denied' AND (n.seen OR (n.requested AND n.due_known)))) AS reached,
  n.alerting AND NOT (n.failed OR n.withdrawn OR n.hidden OR n.seen) AND n.requested AND NOT n.due_known
    AND coalesce(s.authorization_status, '') <> 'denied' AS reach_unknown
FROM notification n
ASOF LEFT JOIN (SELECT device_id, effective_at, authorization_status FROM event WHERE kind = 'settings') s
  ON s.device_id = n.device_id AND s.effective_at <= n.cohort_at;

-- The same, with the device's context then, else its earliest.
CREATE VIEW situated AS
SELECT r.*, coalesce(r.version_then, f.app_version) AS app_version, coalesce(r.zone_then, f.time_zone) AS time_zone
FROM (
  SELECT n.*, c.app_version AS version_then, c.time_zone AS zone_then
  FROM reach n
  ASOF LEFT JOIN (SELECT device_id, effective_at, app_version, time_zone FROM event WHERE has_context) c
    ON c.device_id = n.device_id AND c.effective_at <= n.cohort_at
) r
LEFT JOIN (
  SELECT device_id, argMin(e.app_version, effective_at) AS app_version, argMin(e.time_zone, effective_at) AS time_zone
  FROM event e WHERE has_context GROUP BY device_id
) f ON f.device_id = r.device_id;
