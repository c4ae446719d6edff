-- The tables of what is no event, in the order in which their rows can be stored in another store once it has the apps. Not those of
-- roles, which belong to the server, nor what is still to be delivered.
CREATE OR REPLACE FUNCTION notilog.carried_tables() RETURNS SETOF text
LANGUAGE sql IMMUTABLE AS $$
  SELECT unnest(ARRAY[
    'notilog.id_hash_secret', 'notilog.api_key', 'notilog.annotation', 'notilog.saved_view', 'notilog.push_console',
    'notilog.alert_rule', 'notilog.alert_figure', 'notilog.alert', 'notilog.digest', 'log.tally', 'log.quarantine',
    'log.quarantine_usage'])
$$;

-- Some rows of one of them, by its key.
CREATE OR REPLACE FUNCTION notilog.carried_rows("table" text, after bigint, most bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  key  text := notilog.key_of("table");
  rows jsonb;
BEGIN
  EXECUTE format('SELECT jsonb_agg(to_jsonb(r)) FROM (SELECT * FROM %s %s OFFSET $1 LIMIT $2) r', "table"::regclass, 'ORDER BY ' || key)
  INTO rows USING after, most;
  RETURN rows;
END $$;

-- Stores rows of another store's table here, or makes those that are here what they are there.
CREATE OR REPLACE FUNCTION notilog.carry("table" text, rows jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  key      text := notilog.key_of("table");
  columns  text;
  updates  text;
  numbered text;
BEGIN
  SELECT string_agg(format('%I', a.attname), ', ' ORDER BY a.attnum), string_agg(format('%I = excluded.%1$I', a.attname), ', '),
    max(a.attname) FILTER (WHERE a.attidentity <> '')
  INTO columns, updates, numbered
  FROM pg_attribute a
  WHERE a.attrelid = "table"::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '';
  EXECUTE format('INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM jsonb_populate_recordset(NULL::%1$s, $1) ON CONFLICT %3$s',
    "table"::regclass, columns, coalesce(format('(%s) DO UPDATE SET %s', key, updates), 'DO NOTHING'))
  USING rows;
  IF numbered IS NOT NULL THEN
    EXECUTE format('SELECT setval(pg_get_serial_sequence($1, $2), greatest(max(%I), 1)) FROM %s', numbered, "table"::regclass)
    USING "table", numbered;
  END IF;
END $$;

-- The columns of a table's primary key; null if it has none.
CREATE OR REPLACE FUNCTION notilog.key_of("table" text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT string_agg(format('%I', a.attname), ', ' ORDER BY k.ordinal)
  FROM pg_index i
  CROSS JOIN unnest(i.indkey) WITH ORDINALITY AS k (attnum, ordinal)
  JOIN pg_attribute a ON (a.attrelid, a.attnum) = (i.indrelid, k.attnum)
  WHERE i.indrelid = "table"::regclass AND i.indisprimary
$$;
