-- Takes digests that are due, one of an app, the most overdue first: an app whose reports are slow holds up its own alone. Each is
-- this service's for some minutes, and due again then if nothing is heard of it.
CREATE OR REPLACE FUNCTION notilog.claim_digests(most integer)
RETURNS TABLE (digest_id bigint, app_name text, view text, weekday smallint, at text, receiver text, due_at timestamptz, tz text,
  report text, parameters jsonb, made_at timestamptz, last_error text)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH due AS (
    SELECT DISTINCT ON (d.app_id) d.digest_id, d.try_at
    FROM notilog.digest d
    WHERE d.try_at <= now()
    ORDER BY d.app_id, d.try_at, d.digest_id
  ), claimed AS (
    SELECT d.digest_id
    FROM notilog.digest d
    WHERE d.digest_id IN (SELECT due.digest_id FROM due ORDER BY due.try_at LIMIT most) AND d.try_at <= now()
    FOR UPDATE SKIP LOCKED
  )
  UPDATE notilog.digest d
  SET try_at = now() + interval '5 minutes'
  FROM claimed c, notilog.app a, notilog.saved_view v
  WHERE d.digest_id = c.digest_id AND a.app_id = d.app_id AND (v.app_id, v.name) = (d.app_id, d.view)
  RETURNING d.digest_id, a.name, d.view, d.weekday, to_char(d.at, 'HH24:MI'), d.receiver, d.due_at, notilog.view_tz(v.parameters),
    v.report, v.parameters, d.made_at, d.last_error
$$;
