-- Takes the lock of a name for the rest of the transaction, which should be short or write anyway.
CREATE OR REPLACE FUNCTION lock.named(lock_name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  LOOP
    PERFORM FROM lock.key k WHERE k.name = lock_name FOR UPDATE;
    EXIT WHEN FOUND;
    -- The name's first use: waits for a session that inserts the same row.
    INSERT INTO lock.key VALUES (lock_name) ON CONFLICT DO NOTHING;
    EXIT WHEN FOUND;
  END LOOP;
END $$;

-- Takes it if no session holds it; returns whether it did.
CREATE OR REPLACE FUNCTION lock.try_named(lock_name text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
BEGIN
  PERFORM FROM lock.key k WHERE k.name = lock_name FOR UPDATE SKIP LOCKED;
  IF FOUND THEN
    RETURN true;
  END IF;
  PERFORM FROM lock.key k WHERE k.name = lock_name;
  IF FOUND THEN
    RETURN false;
  END IF;
  BEGIN
    INSERT INTO lock.key VALUES (lock_name) ON CONFLICT DO NOTHING;
  EXCEPTION WHEN lock_not_available THEN   -- a session that uses the name first has it
    RETURN false;
  END;
  PERFORM FROM lock.key k WHERE k.name = lock_name FOR UPDATE SKIP LOCKED;
  RETURN FOUND;
END $$;
