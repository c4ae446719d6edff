-- Adds a rule of an app. The first day it judges is the first one whose wait is not over yet. Returns null at the limit of an
-- app's rules, and 0 where the app has a rule of that name.
CREATE OR REPLACE FUNCTION notilog.add_alert_rule(app integer, rule_name text, rule_report text, rule_parameters jsonb,
  rule_metric text, rule_condition text, rule_bound double precision, volume bigint, wait_seconds bigint, zone text, rule_receivers text[])
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  most  constant integer := 100;
  waits constant interval := make_interval(secs => wait_seconds);
  first constant date := (now() AT TIME ZONE zone - waits)::date;
  added bigint;
BEGIN
  PERFORM FROM notilog.app a WHERE a.app_id = app FOR NO KEY UPDATE;   -- one at a time, so that the count holds
  IF EXISTS (SELECT FROM notilog.alert_rule r WHERE r.app_id = app AND r.name = rule_name) THEN
    RETURN 0;
  END IF;
  INSERT INTO notilog.alert_rule (app_id, name, report, parameters, metric, condition, bound, least_volume, wait, tz, receivers,
    next_day, due_at)
  SELECT app, rule_name, rule_report, rule_parameters, rule_metric, rule_condition, rule_bound, volume, waits, zone, rule_receivers,
    first, notilog.alert_due(first, zone, waits)
  WHERE (SELECT count(*) FROM notilog.alert_rule r WHERE r.app_id = app) < most
  RETURNING rule_id INTO added;
  RETURN added;
END $$;
