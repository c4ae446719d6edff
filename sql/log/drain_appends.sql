-- Waits for every append under way, and for none that begins later: closes the epoch and waits for the locks of all that
-- are not known to be drained, as log.settle() does. Called outside a transaction.
CREATE OR REPLACE PROCEDURE log.drain_appends()
LANGUAGE plpgsql AS $$
DECLARE
  closing bigint;
  drained bigint;
BEGIN
  UPDATE log.state SET epoch = epoch + 1 RETURNING epoch - 1, drained_epoch INTO closing, drained;
  COMMIT;
  FOR old IN drained + 1 .. closing LOOP
    PERFORM pg_advisory_xact_lock(log.epoch_key(old));
    COMMIT;
  END LOOP;
END $$;
