-- The rules of an app by name. `ripe_at` is when the next day is judged. `last_error` is why it could not be, else why what was raised
-- last is not delivered to one of the receivers.
CREATE OR REPLACE FUNCTION notilog.alert_rules(app integer)
RETURNS TABLE (rule_id bigint, app_name text, name text, report text, parameters jsonb, metric text, condition text,
  bound double precision, least_volume bigint, wait_seconds bigint, tz text, receivers text[], next_day date, ripe_at timestamptz,
  judged_at timestamptz, last_error text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT r.rule_id, a.name, r.name, r.report, r.parameters, r.metric, r.condition, r.bound, r.least_volume,
    extract(epoch FROM r.wait)::bigint, r.tz, r.receivers, r.next_day, notilog.alert_due(r.next_day, r.tz, r.wait), r.judged_at,
    coalesce(r.last_error, (
      SELECT 'not delivered: ' || d.last_error FROM notilog.delivery d WHERE d.rule_id = r.rule_id
      ORDER BY d.day DESC, d.last_error LIMIT 1))
  FROM notilog.alert_rule r
  JOIN notilog.app a USING (app_id)
  WHERE r.app_id = app
  ORDER BY r.name
$$;
