-- The digests of an app, by view. `last_error` is why one could not be made, else why the newest is not delivered.
CREATE OR REPLACE FUNCTION notilog.digests(app integer)
RETURNS TABLE (digest_id bigint, app_name text, view text, weekday smallint, at text, receiver text, due_at timestamptz, tz text,
  report text, parameters jsonb, made_at timestamptz, last_error text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT d.digest_id, a.name, d.view, d.weekday, to_char(d.at, 'HH24:MI'), d.receiver, d.due_at, notilog.view_tz(v.parameters), v.report,
    v.parameters, d.made_at, coalesce(d.last_error, (
      SELECT 'not delivered: ' || y.last_error FROM notilog.delivery y WHERE y.digest_id = d.digest_id ORDER BY y.created_at DESC LIMIT 1))
  FROM notilog.digest d
  JOIN notilog.app a USING (app_id)
  JOIN notilog.saved_view v ON (v.app_id, v.name) = (d.app_id, d.view)
  WHERE d.app_id = app
  ORDER BY d.view, d.digest_id
$$;
