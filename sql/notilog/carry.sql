-- The tables of what is no event, in the order in which their rows can be stored in another store once it has the apps. Not those of
-- roles, which belong to the server, nor what is still to be delivered.
CREATE OR REPLACE FUNCTION notilog.carried_tables() RETURNS TABLE (name text, ordinal bigint)
LANGUAGE sql IMMUTABLE AS $$
  SELECT t.name, t.ordinal
  FROM unnest(ARRAY[
    'notilog.id_hash_secret', 'notilog.api_key', 'notilog.annotation', 'notilog.saved_view', 'notilog.push_console',
    'notilog.alert_rule', 'notilog.alert_figure', 'notilog.alert', 'notilog.digest', 'log.tally', 'log.quarantine',
    'log.quarantine_usage']) WITH ORDINALITY AS t (name, ordinal)
$$;

-- Opens the cursor `carried` over the rows of one of them, for the rest of the transaction: each is read once.
CREATE OR REPLACE FUNCTION notilog.open_carried("table" text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  opened refcursor := 'carried';
BEGIN
  OPEN opened NO SCROLL FOR EXECUTE format('SELECT to_jsonb(r)::text FROM %s r', "table"::regclass);
END $$;

-- Empties them here, before those of another store come.
CREATE OR REPLACE FUNCTION notilog.drop_carried() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  "table" text;
BEGIN
  FOR "table" IN SELECT t.name FROM notilog.carried_tables() t ORDER BY t.ordinal DESC LOOP
    EXECUTE format('DELETE FROM %s', "table"::regclass);
  END LOOP;
END $$;

-- Stores rows of another store's table here.
CREATE OR REPLACE FUNCTION notilog.carry("table" text, rows jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  columns  text;
  numbered text;
BEGIN
  SELECT string_agg(format('%I', a.attname), ', ' ORDER BY a.attnum), max(a.attname) FILTER (WHERE a.attidentity <> '')
  INTO columns, numbered
  FROM pg_attribute a
  WHERE a.attrelid = "table"::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '';
  EXECUTE format('INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM jsonb_populate_recordset(NULL::%1$s, $1)',
    "table"::regclass, columns)
  USING rows;
  IF numbered IS NOT NULL THEN
    EXECUTE format('SELECT setval(pg_get_serial_sequence($1, $2), greatest(max(t.%I), nextval(pg_get_serial_sequence($1, $2)))) FROM %s t',
      numbered, "table"::regclass)
    USING "table", numbered;
  END IF;
END $$;
