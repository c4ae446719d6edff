-- The table of a lock that outlives transactions: its holder keeps a transaction open that does nothing else (HeldLock). It
-- is a table because a row lock takes a transaction id, which would hold back vacuum for hours.
CREATE OR REPLACE FUNCTION lock.held_table(lock_name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 'held_' || md5(lock_name) $$;

-- Creates it if it is missing; in a transaction of its own if the lock is held for long.
CREATE OR REPLACE FUNCTION lock.make_held(lock_name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF to_regclass('lock.' || lock.held_table(lock_name)) IS NULL THEN
    EXECUTE format('CREATE TABLE lock.%I ()', lock.held_table(lock_name));
    EXECUTE format('COMMENT ON TABLE lock.%I IS %L', lock.held_table(lock_name), lock_name);
  END IF;
EXCEPTION WHEN unique_violation OR duplicate_table OR duplicate_object THEN
  NULL;   -- another session was faster
END $$;

-- Takes the lock until the transaction ends, if no session holds it; returns whether it did.
CREATE OR REPLACE FUNCTION lock.try_held(lock_name text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM lock.make_held(lock_name);
  EXECUTE format('LOCK TABLE lock.%I IN EXCLUSIVE MODE NOWAIT', lock.held_table(lock_name));
  RETURN true;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END $$;

-- Whether a session holds it.
CREATE OR REPLACE FUNCTION lock.is_held(lock_name text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM pg_locks l
    WHERE l.locktype = 'relation' AND l.granted AND l.mode = 'ExclusiveLock'
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND l.relation = to_regclass('lock.' || lock.held_table(lock_name)))
$$;
