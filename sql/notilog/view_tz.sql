-- The time zone of a saved view, by its parameters.
CREATE OR REPLACE FUNCTION notilog.view_tz(parameters jsonb) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(parameters #>> '{tz,0}', 'UTC')
$$;
