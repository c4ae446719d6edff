-- Locks tables and views against everybody: all of them within moments, or none, again and again until it succeeds or
-- gives up at the deadline with lock_not_available. Readers lock what they read in an order of their own; as nothing is
-- held for long while another lock is waited for, no reader is ever the victim of a deadlock.
CREATE OR REPLACE FUNCTION projection.lock_tables(relations text[], deadline timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  relation text;
BEGIN
  PERFORM set_config('lock_timeout', '50ms', true);
  LOOP
    BEGIN
      FOREACH relation IN ARRAY relations LOOP
        EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', relation);
      END LOOP;
      RETURN;
    EXCEPTION WHEN lock_not_available THEN
      IF clock_timestamp() >= deadline THEN
        RAISE EXCEPTION 'the tables are being read' USING ERRCODE = 'lock_not_available';
      END IF;
      PERFORM pg_sleep(0.01);
    END;
  END LOOP;
END $$;
