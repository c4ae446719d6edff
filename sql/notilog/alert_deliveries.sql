-- As notilog.deliveries, for services of an earlier release that still run on this schema: they know those of alerts alone.
CREATE OR REPLACE FUNCTION notilog.alert_deliveries(app integer, most integer)
RETURNS TABLE (delivery_id uuid, rule text, day date, receiver text, state text, attempts integer, next_at timestamptz, last_error text,
  created_at timestamptz, ended_at timestamptz)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT * FROM notilog.deliveries(app, false, most)
$$;
