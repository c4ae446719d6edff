-- As notilog.end_delivery, for services of an earlier release that still run on this schema: they deliver alerts alone.
CREATE OR REPLACE FUNCTION notilog.end_alert_delivery(delivery uuid, problem text, pause_seconds integer) RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT notilog.end_delivery(d.delivery_id, problem, pause_seconds)
  FROM notilog.delivery d
  WHERE d.delivery_id = delivery AND d.digest_id IS NULL
$$;
