-- Locks a table of this schema against exclusive locks, for the rest of the transaction.
CREATE OR REPLACE FUNCTION lock.shared(what text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  EXECUTE format('LOCK TABLE lock.%I IN ROW EXCLUSIVE MODE', what);
END $$;
