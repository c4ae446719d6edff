-- The table of a lock that outlives transactions: whoever holds it keeps one open that does nothing else (HeldLock). A
-- table, as a row's lock takes a transaction id, and held for hours would hold back vacuum.
CREATE OR REPLACE FUNCTION lock.held_table(lock_name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 'held_' || md5(lock_name) $$;

-- Makes it where it is missing; in a transaction of its own where it is to be held for long.
CREATE OR REPLACE FUNCTION lock.make_held(lock_name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF to_regclass('lock.' || lock.held_table(lock_name)) IS NULL THEN
    EXECUTE format('CREATE TABLE lock.%I ()', lock.held_table(lock_name));
    EXECUTE format('COMMENT ON TABLE lock.%I IS %L', lock.held_table(lock_name), lock_name);
  END IF;
EXCEPTION WHEN unique_violation OR duplicate_table OR duplicate_object THEN
  NULL;   -- another was quicker
END $$;

-- Takes the lock where nobody holds it, until the transaction ends; tells whether it did.
CREATE OR REPLACE FUNCTION lock.try_held(lock_name text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM lock.make_held(lock_name);
  EXECUTE format('LOCK TABLE lock.%I IN EXCLUSIVE MODE NOWAIT', lock.held_table(lock_name));
  RETURN true;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END $$;

-- Whether somebody holds it.
CREATE OR REPLACE FUNCTION lock.is_held(lock_name text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM pg_locks l
    WHERE l.locktype = 'relation' AND l.granted AND l.mode = 'ExclusiveLock'
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND l.relation = to_regclass('lock.' || lock.held_table(lock_name)))
$$;
