-- The newest value of each series (settings, context) of a device: the value, the first and last snapshot with it, and the
-- first snapshot of the series.
CREATE OR REPLACE FUNCTION notilog.device_periods(app integer, device text)
RETURNS TABLE (series text, value jsonb, authorization_status text, first_at timestamptz, last_at timestamptz, since timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT DISTINCT ON (p.series) p.series, p.value, p.value->>'authorization_status', p.first_at, p.last_at,
    min(p.first_at) OVER (PARTITION BY p.series)
  FROM projection.device_period p
  WHERE p.app_id = app AND p.device_id = device
  ORDER BY p.series, p.first_at DESC, p.first_id DESC
$$;
