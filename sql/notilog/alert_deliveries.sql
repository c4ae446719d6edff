-- The newest deliveries of an app.
CREATE OR REPLACE FUNCTION notilog.alert_deliveries(app integer, most integer)
RETURNS TABLE (delivery_id uuid, rule text, day date, receiver text, state text, attempts integer, next_at timestamptz, last_error text,
  created_at timestamptz, ended_at timestamptz)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT d.delivery_id, r.name, d.day, d.receiver, d.state, d.attempts, d.next_at, d.last_error, d.created_at, d.ended_at
  FROM notilog.alert_delivery d
  JOIN notilog.alert_rule r USING (rule_id)
  WHERE d.app_id = app
  ORDER BY d.created_at DESC, d.delivery_id
  LIMIT most
$$;
