-- Enters the epoch barrier (log.drain_appends) for the transaction: the table of the current epoch is locked first, then, in a new
-- statement and so with a new snapshot, the epoch is read again; only who holds the lock of the epoch that was still current draws
-- positions. log.settle() waits for these locks before it calls a position settled. The rest of the state is read with the epoch, so
-- that whoever changed it and then waited for the locks knows that no append goes by what it was before.
CREATE OR REPLACE FUNCTION log.enter_epoch() RETURNS log.state
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  seen_epoch bigint;
  entered    log.state;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'an append must see a new epoch at once: run it in READ COMMITTED';
  END IF;
  -- Tried, never waited for: a settler that waits for this epoch's lock, because of one slow append, would make every
  -- append that read the epoch a moment ago queue up behind it. It has closed the epoch before it waits, so whoever is
  -- refused finds a newer one. The lock of an epoch that was closed meanwhile is given back with its block.
  LOOP
    SELECT s.epoch INTO seen_epoch FROM log.state s;
    BEGIN
      IF seen_epoch % 2 = 0 THEN
        LOCK TABLE lock.epoch_0 IN ROW EXCLUSIVE MODE NOWAIT;
      ELSE
        LOCK TABLE lock.epoch_1 IN ROW EXCLUSIVE MODE NOWAIT;
      END IF;
      SELECT * INTO entered FROM log.state;
      IF entered.epoch <> seen_epoch THEN
        RAISE lock_not_available;
      END IF;
      RETURN entered;
    EXCEPTION WHEN lock_not_available THEN
      NULL;
    END;
  END LOOP;
END $$;
