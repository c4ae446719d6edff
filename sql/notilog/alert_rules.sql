-- The rules of an app by name.
CREATE OR REPLACE FUNCTION notilog.alert_rules(app integer) RETURNS SETOF notilog.alert_rule_row
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT * FROM notilog.alert_rule_row r WHERE r.app_id = app ORDER BY r.name
$$;
