-- The digests of an app, by view.
CREATE OR REPLACE FUNCTION notilog.digests(app integer)
RETURNS TABLE (digest_id bigint, app_name text, view text, weekday smallint, at text, receiver text, due_at timestamptz, tz text,
  report text, parameters jsonb, made_at timestamptz, last_error text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT d.digest_id, a.name, d.view, d.weekday, to_char(d.at, 'HH24:MI'), d.receiver, d.due_at, notilog.view_tz(v.parameters), v.report,
    v.parameters, d.made_at, d.last_error
  FROM notilog.digest d
  JOIN notilog.app a USING (app_id)
  JOIN notilog.saved_view v ON (v.app_id, v.name) = (d.app_id, d.view)
  WHERE d.app_id = app
  ORDER BY d.view, d.digest_id
$$;
