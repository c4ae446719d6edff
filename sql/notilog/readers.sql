-- The database roles that may read each app from SQL, and whether the role still exists.
CREATE OR REPLACE FUNCTION notilog.readers()
RETURNS TABLE (role_name text, app text, granted_at timestamptz, is_there boolean)
LANGUAGE sql STABLE AS $$
  SELECT g.role_name::text, a.name, g.granted_at, to_regrole(quote_ident(g.role_name)) IS NOT NULL
  FROM notilog.reader_app g
  JOIN notilog.app a USING (app_id)
  ORDER BY a.name, g.role_name
$$;
