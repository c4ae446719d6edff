-- Notes why a digest cannot be made now. It is tried again after a pause.
CREATE OR REPLACE FUNCTION notilog.postpone_digest(digest bigint, due timestamptz, problem text, pause_seconds integer) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE notilog.digest d
  SET last_error = left(problem, 500), try_at = now() + make_interval(secs => pause_seconds)
  WHERE d.digest_id = digest AND d.due_at = due
$$;
