-- The digests of an app, by view.
CREATE OR REPLACE FUNCTION notilog.digests(app integer) RETURNS SETOF notilog.digest_row
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT * FROM notilog.digest_row d WHERE d.app_id = app ORDER BY d.view, d.digest_id
$$;
