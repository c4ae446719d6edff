-- Takes rules that are due, one of an app, the most overdue first: an app whose reports are slow holds up its own alone. Each is
-- this service's for some minutes, and due again then if nothing is heard of it.
CREATE OR REPLACE FUNCTION notilog.claim_alert_rules(most integer)
RETURNS TABLE (rule_id bigint, app_name text, name text, report text, parameters jsonb, metric text, condition text,
  bound double precision, least_volume bigint, wait_seconds bigint, tz text, receivers text[], next_day date, ripe_at timestamptz,
  judged_at timestamptz, last_error text)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH due AS (
    SELECT DISTINCT ON (r.app_id) r.rule_id, r.due_at
    FROM notilog.alert_rule r
    WHERE r.due_at <= now()
    ORDER BY r.app_id, r.due_at, r.rule_id
  ), claimed AS (
    SELECT r.rule_id
    FROM notilog.alert_rule r
    WHERE r.rule_id IN (SELECT due.rule_id FROM due ORDER BY due.due_at LIMIT most) AND r.due_at <= now()
    FOR UPDATE SKIP LOCKED
  )
  UPDATE notilog.alert_rule r
  SET due_at = now() + interval '3 minutes'
  FROM claimed c, notilog.app a
  WHERE r.rule_id = c.rule_id AND a.app_id = r.app_id
  RETURNING r.rule_id, a.name, r.name, r.report, r.parameters, r.metric, r.condition, r.bound, r.least_volume,
    extract(epoch FROM r.wait)::bigint, r.tz, r.receivers, r.next_day, notilog.alert_due(r.next_day, r.tz, r.wait), r.judged_at, r.last_error
$$;
