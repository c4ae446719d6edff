-- Waits for every append under way, and for none that begins later. Called outside a transaction.
--
-- The epoch barrier. An append locks the table of the current epoch (lock.epoch_0 and lock.epoch_1 by turns) and then, in
-- a new statement and so with a new snapshot, looks whether the epoch is still current; only then does it draw positions.
-- Whoever waits for appends closes the epoch first, which is committed before it asks for that epoch's table:
--   - an append that saw the epoch current under its lock did so before the closing was committed, and so has held the
--     lock since before it was asked for: it is waited for;
--   - one that looks later finds the epoch closed, lets go and begins anew: nobody draws positions in a closed epoch.
-- Two tables are enough because an epoch is closed only once every older one has been seen to drain: the table of the next
-- epoch is that of the one before this, in which no append is left that draws. So whoever closes and whoever waits do it
-- one at a time, under lock.drain; what one left behind that died while it waited, the next waits for first. Appends never
-- wait: a table that is asked for exclusively is that of a closed epoch.
--
-- The epoch need not be on disk: where a crash takes its closing back, no append is left from before.
CREATE OR REPLACE PROCEDURE log.drain_appends()
LANGUAGE plpgsql AS $$
DECLARE
  wanted  bigint := (SELECT epoch FROM log.state);   -- what is under way is of this one, or of an older one
  current bigint;
  drained bigint;
BEGIN
  LOOP
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM lock.exclusive('drain');
    SELECT s.epoch, s.drained_epoch INTO current, drained FROM log.state s;
    IF drained < current - 1 THEN
      PERFORM lock.exclusive('epoch_' || (current - 1) % 2);
      UPDATE log.state SET drained_epoch = current - 1;
    ELSIF drained < wanted THEN
      UPDATE log.state SET epoch = current + 1;
    ELSE
      COMMIT;
      RETURN;
    END IF;
    COMMIT;
  END LOOP;
END $$;
