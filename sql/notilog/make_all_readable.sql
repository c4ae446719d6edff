-- Creates the views of the schema readable: of every table and view of the projections that has an app_id, of the log's
-- events in the current version of each kind, and of further tables for readers.
CREATE OR REPLACE FUNCTION notilog.make_all_readable() RETURNS void
LANGUAGE sql AS $$
  SELECT notilog.make_readable(c.oid::regclass, c.relname)
  FROM pg_class c
  WHERE c.relnamespace = 'projection'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
    AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'app_id' AND a.attnum > 0)
  ORDER BY c.relname;
  SELECT notilog.make_readable(source::regclass, name::name)
  FROM (VALUES ('log.upcast_event', 'event'), ('log.quarantine', 'quarantine'), ('log.tally', 'tally'),
    ('notilog.app', 'app'), ('notilog.push_console', 'push_console'), ('notilog.annotation', 'annotation'),
    ('notilog.saved_view', 'saved_view')) AS s (source, name);
$$;
