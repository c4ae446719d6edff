-- Takes deliveries that are due, each app's in turn and at most two of an app's receiver, so that a dead one holds up no other;
-- each is this service's for as long as an attempt may take, and due again then if nothing is heard of it. `kind` says of what
-- the message is: alert or digest.
CREATE OR REPLACE FUNCTION notilog.claim_deliveries(most integer, lease_seconds integer)
RETURNS TABLE (delivery_id uuid, kind text, receiver text, message text, attempts integer, created_at timestamptz)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH due AS (
    SELECT d.delivery_id, d.app_id, d.next_at,
      row_number() OVER (PARTITION BY d.app_id, d.receiver ORDER BY d.next_at, d.delivery_id) AS ordinal
    FROM notilog.delivery d
    WHERE d.state = 'pending' AND d.next_at <= now()
  ), turn AS (
    SELECT due.delivery_id, due.next_at, row_number() OVER (PARTITION BY due.app_id ORDER BY due.next_at, due.delivery_id) AS ordinal
    FROM due
    WHERE due.ordinal <= 2
  ), claimed AS (
    SELECT d.delivery_id
    FROM notilog.delivery d
    WHERE d.delivery_id IN (SELECT turn.delivery_id FROM turn ORDER BY turn.ordinal, turn.next_at LIMIT most)
      AND d.state = 'pending' AND d.next_at <= now()
    FOR UPDATE SKIP LOCKED
  )
  UPDATE notilog.delivery d
  SET attempts = d.attempts + 1, next_at = now() + make_interval(secs => lease_seconds)
  FROM claimed c
  WHERE d.delivery_id = c.delivery_id
  RETURNING d.delivery_id, CASE WHEN d.digest_id IS NULL THEN 'alert' ELSE 'digest' END, d.receiver, d.message::text, d.attempts, d.created_at
$$;
