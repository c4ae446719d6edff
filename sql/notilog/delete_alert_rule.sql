-- Deletes a rule of an app, with its figures, its alerts and what is not delivered yet; returns whether there is such a rule.
CREATE OR REPLACE FUNCTION notilog.delete_alert_rule(app integer, rule_name text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM notilog.alert_rule r WHERE r.app_id = app AND r.name = rule_name;
  RETURN FOUND;
END $$;
