-- Notes how an attempt to deliver ended: without a problem it is delivered; else it is tried again after a pause, or given up three
-- days after the message was made.
CREATE OR REPLACE FUNCTION notilog.end_delivery(delivery uuid, problem text, pause_seconds integer) RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE notilog.delivery d
  SET state = CASE WHEN problem IS NULL THEN 'delivered' WHEN d.created_at < now() - interval '3 days' THEN 'failed' ELSE 'pending' END,
    last_error = left(problem, 500), next_at = now() + make_interval(secs => pause_seconds),
    ended_at = CASE WHEN problem IS NULL OR d.created_at < now() - interval '3 days' THEN now() END
  WHERE d.delivery_id = delivery AND d.state = 'pending'
  RETURNING d.state
$$;
