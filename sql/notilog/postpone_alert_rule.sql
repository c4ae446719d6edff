-- Notes why a day of a rule cannot be judged now. It is tried again after a pause; after a week, the next day is judged instead.
CREATE OR REPLACE FUNCTION notilog.postpone_alert_rule(rule bigint, judged date, problem text, pause_seconds integer) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE notilog.alert_rule r
  SET last_error = left(problem, 500),
    next_day = CASE WHEN is_old THEN judged + 1 ELSE judged END,
    due_at = CASE WHEN is_old THEN notilog.alert_due(judged + 1, r.tz, r.wait) ELSE now() + make_interval(secs => pause_seconds) END
  FROM (SELECT notilog.alert_due(judged, o.tz, o.wait) < now() - interval '7 days' AS is_old
    FROM notilog.alert_rule o WHERE o.rule_id = rule) age
  WHERE r.rule_id = rule AND r.next_day = judged
$$;
