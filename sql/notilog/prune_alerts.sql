-- Deletes what is of no more use, some rows at a time: alerts resolved and deliveries ended 400 days ago. Returns how many.
CREATE OR REPLACE FUNCTION notilog.prune_alerts(most integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH old_alert AS (
    DELETE FROM notilog.alert a
    WHERE a.alert_id IN (SELECT o.alert_id FROM notilog.alert o WHERE o.resolved_at < now() - interval '400 days' LIMIT most)
    RETURNING 1
  ), old_delivery AS (
    DELETE FROM notilog.alert_delivery d
    WHERE d.delivery_id IN (SELECT o.delivery_id FROM notilog.alert_delivery o WHERE o.ended_at < now() - interval '400 days' LIMIT most)
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM old_alert) + (SELECT count(*) FROM old_delivery)
$$;
