-- Resolves an alert by hand. From then on, the new level of its cell counts as usual, and the level before no longer does. Returns
-- whether the app has such an open alert.
CREATE OR REPLACE FUNCTION notilog.resolve_alert(app integer, alert bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  this notilog.alert;
BEGIN
  -- Before or after a day is written, as that goes by which alerts are resolved.
  PERFORM FROM notilog.alert_rule r
  WHERE r.rule_id = (SELECT a.rule_id FROM notilog.alert a WHERE a.app_id = app AND a.alert_id = alert)
  FOR NO KEY UPDATE;
  UPDATE notilog.alert a SET resolved_at = now()
  WHERE a.app_id = app AND a.alert_id = alert AND a.resolved_at IS NULL
  RETURNING * INTO this;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM notilog.alert_figure f WHERE f.rule_id = this.rule_id AND f.cell = this.cell AND f.day < this.day;
  UPDATE notilog.alert_figure f SET is_out = false WHERE f.rule_id = this.rule_id AND f.cell = this.cell;
  RETURN true;
END $$;
