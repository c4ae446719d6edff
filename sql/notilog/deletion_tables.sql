-- Every table besides the log that holds rows of apps: any table with the column app_id in Notilog's schemas, including
-- versions of projections under construction. The baseline comes first, because versions begin with its rows. Without the
-- tables that go with the app itself (notilog.deletion_end), and the identities (notilog.deletion_step).
CREATE OR REPLACE FUNCTION notilog.deletion_tables() RETURNS TABLE (name text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('%I.%I', n.nspname, c.relname)
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'app_id' AND NOT a.attisdropped
  WHERE c.relkind = 'r' AND NOT c.relispartition AND c.relpersistence <> 't'
    AND n.nspname ~ '^(notilog|log|report|baseline|export|projection.*)$'
    AND c.oid NOT IN ('notilog.app'::regclass, 'notilog.api_key'::regclass, 'notilog.reader_app'::regclass, 'log.identity'::regclass)
  ORDER BY n.nspname <> 'baseline', 1
$$;
