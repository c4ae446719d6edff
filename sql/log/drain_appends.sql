-- Waits for every append under way, and for none that begins later. Call it outside a transaction.
--
-- The epoch barrier. An append locks the table of the current epoch (lock.epoch_0 and lock.epoch_1, alternating). Then, in
-- a new statement and so with a new snapshot, it checks that the epoch is still current; only then does it assign
-- positions. A session that waits for appends first closes the epoch, and commits that before it requests that epoch's
-- table:
--   - an append that saw the epoch as current under its lock did so before the closing was committed, and so has held the
--     lock since before the request: the session waits for it;
--   - an append that checks later finds the epoch closed, releases the lock and starts over: no append assigns positions in
--     a closed epoch.
-- Two tables are enough because an epoch is closed only after every older one has drained: the table of the next epoch is
-- that of the previous one, in which no append is left. Therefore sessions close and wait one at a time, under lock.drain.
-- If one dies while it waits, the next one first waits for the epoch that it left. Appends never wait: a table that is
-- requested exclusively belongs to a closed epoch.
--
-- The epoch need not be durable: if a crash undoes its closing, no earlier append is left.
CREATE OR REPLACE PROCEDURE log.drain_appends()
LANGUAGE plpgsql AS $$
DECLARE
  wanted  bigint := (SELECT epoch FROM log.state);   -- appends under way belong to it, or to an older one
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
