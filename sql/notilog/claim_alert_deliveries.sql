-- Takes deliveries that are due, at most two of a receiver, so that a dead one does not hold up others; each is this service's for
-- as long as an attempt may take, and due again then if nothing is heard of it.
CREATE OR REPLACE FUNCTION notilog.claim_alert_deliveries(most integer, lease_seconds integer)
RETURNS TABLE (delivery_id uuid, receiver text, message text, attempts integer)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH due AS (
    SELECT d.delivery_id, d.next_at, row_number() OVER (PARTITION BY d.receiver ORDER BY d.next_at) AS ordinal
    FROM (SELECT * FROM notilog.alert_delivery d WHERE d.state = 'pending' AND d.next_at <= now() ORDER BY d.next_at LIMIT 1000) d
  ), claimed AS (
    SELECT d.delivery_id
    FROM notilog.alert_delivery d
    WHERE d.delivery_id IN (SELECT due.delivery_id FROM due WHERE ordinal <= 2 ORDER BY due.next_at LIMIT most)
      AND d.state = 'pending' AND d.next_at <= now()
    FOR UPDATE SKIP LOCKED
  )
  UPDATE notilog.alert_delivery d
  SET attempts = d.attempts + 1, next_at = now() + make_interval(secs => lease_seconds)
  FROM claimed c
  WHERE d.delivery_id = c.delivery_id
  RETURNING d.delivery_id, d.receiver, d.message::text, d.attempts
$$;
