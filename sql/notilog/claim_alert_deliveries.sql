-- As notilog.claim_deliveries, for services of an earlier release that still run on this schema: they deliver alerts alone.
CREATE OR REPLACE FUNCTION notilog.claim_alert_deliveries(most integer, lease_seconds integer)
RETURNS TABLE (delivery_id uuid, receiver text, message text, attempts integer)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT d.delivery_id, d.receiver, d.message, d.attempts
  FROM notilog.claim_deliveries(most, lease_seconds, of_alerts_alone => true) d
$$;
