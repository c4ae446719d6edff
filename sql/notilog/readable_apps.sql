-- The apps that the current role may read as a reader: those granted to it or to a role that it is a member of. The policies
-- of sql/roles.sql call it once a query.
CREATE OR REPLACE FUNCTION notilog.readable_apps() RETURNS integer[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(array_agg(g.app_id), '{}')
  FROM notilog.reader_app g
  JOIN pg_roles r ON r.rolname = g.role_name
  WHERE pg_has_role(r.oid, 'USAGE')
$$;
