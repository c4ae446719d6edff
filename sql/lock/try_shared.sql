-- The same as lock.shared, if no session holds the table exclusively or waits to; returns whether it did.
CREATE OR REPLACE FUNCTION lock.try_shared(what text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  EXECUTE format('LOCK TABLE lock.%I IN ROW EXCLUSIVE MODE NOWAIT', what);
  RETURN true;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END $$;
