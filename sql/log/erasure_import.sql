-- Imports lines of log.erasure_export() into the ledger. Returns the number of new entries. log.erasure_matches() then lists
-- the devices of the ledger that the database holds.
CREATE OR REPLACE FUNCTION log.erasure_import(lines text[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  entries jsonb[] := (SELECT array_agg(line::jsonb ORDER BY ordinal) FROM unnest(lines) WITH ORDINALITY AS l (line, ordinal) WHERE line <> '');
  added   bigint;
BEGIN
  PERFORM log.erasure_secret_settle();
  IF entries IS NULL OR (entries[1]->>'notilog_ledger') IS DISTINCT FROM '1' THEN
    RAISE EXCEPTION 'this is not a ledger of erased devices: its first line lacks notilog_ledger 1'
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF (SELECT encode(k.proof, 'hex') FROM log.erasure_keys() k) <> entries[1]->>'proof' THEN
    RAISE EXCEPTION 'the ledger was made with another secret than this database''s: set NOTILOG_ERASURE_SECRET to the ledger''s secret'
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  -- An app that was created after the dump has no such devices here.
  INSERT INTO log.erasure (app_id, bucket, key, what, erased_at)
  SELECT a.app_id, (e->>'bucket')::bigint, decode(e->>'key', 'hex'), e->>'what', (e->>'erased_at')::timestamptz
  FROM unnest(entries[2:]) AS u (e)
  JOIN notilog.app a ON a.name = e->>'app'
  ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS added = ROW_COUNT;
  RETURN added;
END $$;
