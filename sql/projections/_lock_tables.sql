-- Locks tables and views exclusively: all of them within 100 ms, or none. It repeats until it succeeds, or gives up at the
-- deadline with lock_not_available. Readers lock tables in an order of their own; because no lock is held for long while this
-- waits for another, no other session is the victim of a deadlock.
CREATE OR REPLACE FUNCTION projection.lock_tables(relations text[], deadline timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  relation text;
  until    timestamptz;
BEGIN
  LOOP
    until := clock_timestamp() + interval '100 ms';
    BEGIN
      FOREACH relation IN ARRAY relations LOOP
        -- One timeout for the attempt, not one for each lock; 0 would be none.
        PERFORM set_config('lock_timeout',
          greatest(1, ceil(extract(epoch FROM until - clock_timestamp()) * 1000))::integer || 'ms', true);
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
