-- The names of an app's own dimensions, as reports take them: attribute. and the key.
CREATE OR REPLACE FUNCTION reporting.own_dimensions(app_number integer) RETURNS text[]
LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg('attribute.' || d.key ORDER BY d.ordinal), '{}')
  FROM notilog.app a
  CROSS JOIN unnest(a.dimensions) WITH ORDINALITY AS d (key, ordinal)
  WHERE a.app_id = app_number
$$;

-- The dimensions of notifications that no rollup has: the settings in force, and the app's own.
CREATE OR REPLACE FUNCTION reporting.row_dimensions(app_number integer) RETURNS text[]
LANGUAGE sql STABLE AS $$
  SELECT reporting.settings_names() || reporting.own_dimensions(app_number)
$$;
