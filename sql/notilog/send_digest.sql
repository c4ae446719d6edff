-- Makes a digest of an app due now; returns whether there is such a digest. It is made a minute after the time before at the
-- earliest, however often it is asked for.
CREATE OR REPLACE FUNCTION notilog.send_digest(app integer, digest bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE notilog.digest d SET due_at = least(d.due_at, now()), try_at = greatest(now(), d.made_at + interval '1 minute')
  WHERE d.app_id = app AND d.digest_id = digest;
  RETURN FOUND;
END $$;
