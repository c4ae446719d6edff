-- One row per notification, from the raw events: what nearly every report begins with.
CREATE VIEW notification AS
SELECT *,
  seen OR responded_at IS NOT NULL OR dismissed_at IS NOT NULL AS delivered,
  showed OR responded_at IS NOT NULL OR dismissed_at IS NOT NULL AS presented,
  responded_at IS NOT NULL AS responded,
  dismissed_at IS NOT NULL AS dismissed,
  (add_failed OR (answered AND NOT accepted)) AND NOT (seen OR responded_at IS NOT NULL OR dismissed_at IS NOT NULL) AS failed,
  withdrawn_at IS NOT NULL AND NOT (seen OR responded_at IS NOT NULL OR dismissed_at IS NOT NULL) AS withdrawn,
  (hid OR filtered) AND NOT (showed OR responded_at IS NOT NULL OR dismissed_at IS NOT NULL) AS hidden,
  action_id = 'default' AS opened,
  (responded_at IS NOT NULL OR dismissed_at IS NOT NULL) AND NOT seen AND requested_at IS NULL AS response_only
FROM (
  SELECT *, coalesce(scheduled_for, requested_at, delivered_at, delivery_at, presentation_at, responded_at, dismissed_at) AS cohort_at,
    coalesce(delivered_at, arrived_at, presentation_at, scheduled_for, CASE WHEN is_push THEN requested_at END) AS shown_at,
    delivery_at IS NOT NULL OR presentation_at IS NOT NULL AS seen
  FROM (
    SELECT device_id, notification_id, occurrence,
      min(effective_at) FILTER (kind = 'request') AS requested_at,
      min(scheduled_for) FILTER (kind = 'request') AS scheduled_for,
      min(delivered_at) FILTER (kind <> 'request') AS delivered_at,
      min(effective_at) FILTER (kind = 'delivery') AS delivery_at,
      min(effective_at) FILTER (kind = 'delivery' AND source IS DISTINCT FROM 'delivered_list') AS arrived_at,
      min(effective_at) FILTER (kind = 'presentation') AS presentation_at,
      min(effective_at) FILTER (kind = 'action_response') AS responded_at,
      min(effective_at) FILTER (kind = 'dismissal') AS dismissed_at,
      min(effective_at) FILTER (kind = 'removal' AND state = 'pending' AND reason IS DISTINCT FROM 'replaced') AS withdrawn_at,
      count(*) FILTER (kind = 'request' AND error IS NULL) > 0 AS requested,
      count(*) FILTER (kind = 'request' AND error IS NOT NULL) > 0 AS add_failed,
      count(*) FILTER (kind = 'request' AND (trigger = 'push' OR origin = 'provider')) > 0 AS is_push,
      count(*) FILTER (kind = 'request' AND error IS NULL
        AND (trigger = 'push' OR origin = 'provider' OR scheduled_for IS NOT NULL OR trigger IS NULL OR trigger NOT IN ('calendar', 'location'))) > 0 AS due_known,
      count(*) FILTER (kind = 'presentation' OR (kind = 'delivery' AND source IS DISTINCT FROM 'background_wake')) > 0 AS witnessed,
      count(*) FILTER (kind = 'push_result') > 0 AS answered,
      count(*) FILTER (kind = 'push_result' AND status = 200) > 0 AS accepted,
      count(*) FILTER (kind = 'presentation' AND (surface <> 'foreground' OR has_alert)) > 0 AS showed,
      count(*) FILTER (kind = 'presentation' AND surface = 'foreground' AND has_alert IS NOT TRUE) > 0 AS hid,
      count(*) FILTER (kind = 'delivery' AND outcome = 'filtered') > 0 AS filtered,
      count(*) FILTER (kind = 'request' AND NOT alerting) = 0 AS alerting,
      arg_min(action_id, effective_at) FILTER (kind = 'action_response') AS action_id,
      arg_min(has_text, effective_at) FILTER (kind = 'action_response') AS replied,
      min(effective_at) FILTER (kind = 'removal' AND state = 'delivered' AND reason IS DISTINCT FROM 'gone' AND reason IS DISTINCT FROM 'replaced') AS removed_at,
      min(effective_at) FILTER (kind = 'removal' AND state = 'delivered' AND reason = 'gone') AS gone_at,
      coalesce(
        arg_min(category, effective_at) FILTER (kind = 'action_response'), arg_min(category, effective_at) FILTER (kind = 'dismissal'),
        arg_min(category, effective_at) FILTER (kind = 'presentation'), arg_min(category, effective_at) FILTER (kind = 'delivery'),
        arg_min(category, effective_at) FILTER (kind = 'request')) AS category,
      arg_min(interruption_level, effective_at) AS interruption_level,
      count(*) FILTER (kind = 'request' AND mutable_content) > 0 AS mutable_content,
      arg_min(variant, effective_at) AS variant,
      arg_min(campaign, effective_at) AS campaign
    FROM event
    WHERE notification_id <> '' AND device_id IS NOT NULL AND NOT (kind = 'request' AND repeats)
      AND kind IN ('request', 'delivery', 'presentation', 'action_response', 'dismissal', 'removal', 'push_result')
    GROUP BY device_id, notification_id, occurrence
  )
)
WHERE cohort_at IS NOT NULL;

-- The same, and whether it was reached, or nobody knows as its time is not: that takes the device's settings at the time.
CREATE VIEW reach AS
SELECT n.*, n.alerting AND NOT (n.failed OR n.withdrawn OR n.hidden)
  AND (n.witnessed OR (s.authorization_status IS DISTINCT FROM 'denied' AND (n.seen OR (n.requested AND n.due_known)))) AS reached,
  n.alerting AND NOT (n.failed OR n.withdrawn OR n.hidden OR n.seen) AND n.requested AND NOT n.due_known
    AND s.authorization_status IS DISTINCT FROM 'denied' AS reach_unknown
FROM notification n
ASOF LEFT JOIN (SELECT device_id, effective_at, authorization_status FROM event WHERE kind = 'settings') s
  ON s.device_id = n.device_id AND s.effective_at <= n.cohort_at;

-- The same, with the device's context then, else its earliest.
CREATE VIEW situated AS
SELECT r.*, coalesce(c.app_version, f.app_version) AS app_version, coalesce(c.time_zone, f.time_zone) AS time_zone
FROM reach r
ASOF LEFT JOIN (SELECT device_id, effective_at, app_version, time_zone FROM event WHERE has_context) c
  ON c.device_id = r.device_id AND c.effective_at <= r.cohort_at
LEFT JOIN (
  SELECT device_id, arg_min(app_version, effective_at) AS app_version, arg_min(time_zone, effective_at) AS time_zone
  FROM event WHERE has_context GROUP BY device_id
) f ON f.device_id = r.device_id;
