-- Stops the batches of all projections for the rest of the transaction: none is under way, and new ones wait. Lock
-- `background` exclusively before: long batches hold it, so only batches of the versions in use remain.
--
-- While a session waits here, new batches wait behind its request. So the waits of all sessions together are bounded: each
-- ends after 2 s with 55P03, and after each nobody waits again for 20 times as long. Until then a session takes the lock if
-- it is free, and else fails with 55P03 at once.
CREATE OR REPLACE FUNCTION lock.stop_batches() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  longest  constant text := '2s';
  pause    constant integer := 20;
  usual_timeout constant text := current_setting('lock_timeout');
  asked    timestamptz;
  next     timestamptz;
BEGIN
  BEGIN
    LOCK TABLE lock.still IN EXCLUSIVE MODE NOWAIT;
    RETURN;
  EXCEPTION WHEN lock_not_available THEN
    asked := clock_timestamp();
  END;
  SELECT to_timestamp(last_value / 1000.0) INTO next FROM lock.next_wait;
  -- A time further away than any pause is from a clock that has been set back.
  IF next > asked AND next <= asked + longest::interval * (1 + pause) THEN
    RAISE EXCEPTION 'batches of projections are under way' USING ERRCODE = 'lock_not_available';
  END IF;
  -- Before the wait, for the longest one: it holds for other sessions meanwhile, and if this one fails.
  PERFORM setval('lock.next_wait', (extract(epoch FROM asked + longest::interval * (1 + pause)) * 1000)::bigint);
  PERFORM set_config('lock_timeout', longest, true);
  LOCK TABLE lock.still IN EXCLUSIVE MODE;
  PERFORM set_config('lock_timeout', usual_timeout, true);
  next := clock_timestamp() + (clock_timestamp() - asked) * pause;
  PERFORM setval('lock.next_wait', (extract(epoch FROM next) * 1000)::bigint);
END $$;
