-- The number of the first line that is not of a ledger, from 1: the first one that is not empty identifies the secret, each other
-- one is an entry. Null if there is none.
CREATE OR REPLACE FUNCTION log.erasure_import_fault(lines text[]) RETURNS integer
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  number   integer := 0;
  is_first boolean := true;
  is_right boolean;
  item     text;
  entry    jsonb;
BEGIN
  FOREACH item IN ARRAY lines LOOP
    number := number + 1;
    CONTINUE WHEN item = '';
    BEGIN
      entry := item::jsonb;
      IF is_first THEN
        is_right := entry->>'notilog_ledger' = '1';
      ELSE
        is_right := entry->>'app' IS NOT NULL AND (entry->>'bucket')::bigint IS NOT NULL
          AND coalesce((entry->>'app_id')::integer, 1) > 0
          AND octet_length(decode(entry->>'key', 'hex')) = 32 AND entry->>'what' IN ('device', 'token')
          AND (entry->>'erased_at')::timestamptz IS NOT NULL;
      END IF;
    EXCEPTION WHEN data_exception THEN
      is_right := false;
    END;
    IF is_right IS NOT TRUE THEN
      RETURN number;
    END IF;
    is_first := false;
  END LOOP;
  RETURN NULL;
END $$;

-- Imports lines of log.erasure_export() into the ledger. Returns the number of new entries. log.erasure_matches() then lists
-- the devices of the ledger that the database holds.
CREATE OR REPLACE FUNCTION log.erasure_import(lines text[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  wrong   integer := log.erasure_import_fault(lines);
  entries jsonb[];
  added   bigint;
BEGIN
  PERFORM log.erasure_secret_settle();
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION 'line % is not of a ledger of erased devices: nothing was imported', wrong
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  entries := (SELECT array_agg(line::jsonb ORDER BY ordinal) FROM unnest(lines) WITH ORDINALITY AS l (line, ordinal) WHERE line <> '');
  IF entries IS NULL THEN
    RAISE EXCEPTION 'this is not a ledger of erased devices: it is empty' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF (SELECT encode(k.proof, 'hex') FROM log.erasure_keys() k) <> entries[1]->>'proof' THEN
    RAISE EXCEPTION 'the ledger was made with another secret than this database''s: set NOTILOG_ERASURE_SECRET to the ledger''s secret'
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  -- An app that was created after the dump has no such devices here.
  INSERT INTO log.erasure (app_id, bucket, key, what, erased_at)
  SELECT a.app_id, (e->>'bucket')::bigint, decode(e->>'key', 'hex'), e->>'what', (e->>'erased_at')::timestamptz
  FROM unnest(entries[2:]) AS u (e)
  JOIN notilog.app a ON a.name = e->>'app' AND a.app_id = coalesce((e->>'app_id')::integer, a.app_id)
  ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS added = ROW_COUNT;
  RETURN added;
END $$;

-- The apps whose entries log.erasure_import() leaves out, and how many entries each has: apps that are not here, and those that have
-- another number here than where the ledger was exported. The number is in the hashes, so such entries would protect no device.
CREATE OR REPLACE FUNCTION log.erasure_left_out(lines text[]) RETURNS TABLE (app text, entries bigint, is_here boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT e->>'app', count(*), a.app_id IS NOT NULL
  FROM (SELECT line::jsonb AS e FROM unnest(lines) AS l (line) WHERE line <> '') u
  LEFT JOIN notilog.app a ON a.name = e->>'app'
  WHERE e->>'app' IS NOT NULL AND a.app_id IS DISTINCT FROM coalesce((e->>'app_id')::integer, a.app_id, 0)
  GROUP BY e->>'app', a.app_id
  ORDER BY e->>'app'
$$;
