-- The newest alerts of an app; only those not resolved where that is asked.
CREATE OR REPLACE FUNCTION notilog.alerts(app integer, only_open boolean, most integer)
RETURNS TABLE (alert_id bigint, rule text, report text, metric text, cell jsonb, day date, figures jsonb, "position" bigint,
  raised_at timestamptz, resolved_at timestamptz)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT a.alert_id, r.name, r.report, r.metric, a.cell, a.day, a.figures, a.position, a.raised_at, a.resolved_at
  FROM notilog.alert a
  JOIN notilog.alert_rule r USING (rule_id)
  WHERE a.app_id = app AND (NOT only_open OR a.resolved_at IS NULL)
  ORDER BY a.alert_id DESC
  LIMIT most
$$;
