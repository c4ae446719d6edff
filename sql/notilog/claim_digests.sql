-- Takes digests that are due, one of an app, the most overdue first: an app whose reports are slow holds up its own alone. Each is
-- this service's for some minutes, and due again then if nothing is heard of it.
CREATE OR REPLACE FUNCTION notilog.claim_digests(most integer) RETURNS SETOF notilog.digest_row
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  claimed bigint[];
BEGIN
  WITH due AS (
    SELECT DISTINCT ON (d.app_id) d.digest_id, d.try_at
    FROM notilog.digest d
    -- A store that took over does it.
    WHERE d.try_at <= now() AND NOT (SELECT s.closed FROM log.state s)
    ORDER BY d.app_id, d.try_at, d.digest_id
  ), free AS (
    SELECT d.digest_id
    FROM notilog.digest d
    WHERE d.digest_id IN (SELECT due.digest_id FROM due ORDER BY due.try_at LIMIT most) AND d.try_at <= now()
    FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE notilog.digest d
    SET try_at = now() + interval '5 minutes'
    FROM free f
    WHERE d.digest_id = f.digest_id
    RETURNING d.digest_id
  )
  SELECT array_agg(t.digest_id) INTO claimed FROM taken t;
  -- In a statement of its own: it sees what another service wrote before the digests were locked.
  RETURN QUERY SELECT d.* FROM notilog.digest_row d WHERE d.digest_id = ANY (claimed);
END $$;
