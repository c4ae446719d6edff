-- The rules of alerts as services take them. `ripe_at` is when the next day is judged. `last_error` is why it could not be, else why
-- what was raised last is not delivered to one of the receivers.
CREATE OR REPLACE VIEW notilog.alert_rule_row AS
SELECT r.rule_id, a.name AS app_name, r.name, r.report, r.parameters, r.metric, r.condition, r.bound, r.least_volume,
  extract(epoch FROM r.wait)::bigint AS wait_seconds, r.tz, r.receivers, r.next_day,
  notilog.alert_due(r.next_day, r.tz, r.wait) AS ripe_at, r.judged_at,
  coalesce(r.last_error, (
    SELECT 'not delivered: ' || d.last_error FROM notilog.delivery d WHERE d.rule_id = r.rule_id
    ORDER BY d.day DESC, d.last_error LIMIT 1)) AS last_error,
  r.app_id
FROM notilog.alert_rule r
JOIN notilog.app a USING (app_id);
