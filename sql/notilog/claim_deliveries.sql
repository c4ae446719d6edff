-- Takes deliveries that are due: first for receivers to which nothing is under way, and each app's in turn, so that a dead receiver
-- holds up no other. `under_way` are the deliveries that this service is trying: with these, it has at most two to an app's receiver.
-- Each is this service's for as long as an attempt may take, and due again then if nothing is heard of it. `kind` says of what the
-- message is: alert or digest.
CREATE OR REPLACE FUNCTION notilog.claim_deliveries(most integer, lease_seconds integer, under_way uuid[] DEFAULT '{}')
RETURNS TABLE (delivery_id uuid, kind text, receiver text, message text, attempts integer, created_at timestamptz)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH busy AS (
    SELECT d.app_id, d.receiver, count(*) AS held
    FROM notilog.delivery d
    WHERE d.delivery_id = ANY (under_way)
    GROUP BY d.app_id, d.receiver
  ), due AS (
    SELECT d.delivery_id, d.app_id, d.next_at, coalesce(b.held, 0)
      + row_number() OVER (PARTITION BY d.app_id, d.receiver ORDER BY d.next_at, d.delivery_id) AS of_receiver
    FROM notilog.delivery d
    LEFT JOIN busy b ON (b.app_id, b.receiver) = (d.app_id, d.receiver)
    WHERE d.state = 'pending' AND d.next_at <= now() AND d.delivery_id <> ALL (under_way)
  ), turn AS (
    SELECT due.delivery_id, due.next_at, due.of_receiver, (SELECT coalesce(sum(b.held), 0) FROM busy b WHERE b.app_id = due.app_id)
      + row_number() OVER (PARTITION BY due.app_id ORDER BY due.of_receiver, due.next_at, due.delivery_id) AS of_app
    FROM due
    WHERE due.of_receiver <= 2
  ), claimed AS (
    SELECT d.delivery_id
    FROM notilog.delivery d
    WHERE d.delivery_id IN (SELECT turn.delivery_id FROM turn ORDER BY turn.of_receiver, turn.of_app, turn.next_at LIMIT most)
      AND d.state = 'pending' AND d.next_at <= now()
    FOR UPDATE SKIP LOCKED
  )
  UPDATE notilog.delivery d
  SET attempts = d.attempts + 1, next_at = now() + make_interval(secs => lease_seconds)
  FROM claimed c
  WHERE d.delivery_id = c.delivery_id
  RETURNING d.delivery_id, CASE WHEN d.digest_id IS NULL THEN 'alert' ELSE 'digest' END, d.receiver, d.message::text, d.attempts, d.created_at
$$;
