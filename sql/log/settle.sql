-- Finds how far the log is settled: every position up to log.state.settled_position is committed or never will be.
-- Called outside a transaction, on a connection of its own that holds the settler's lock. Gives the settled position, and
-- notifies channel notilog_settled of a new one.
--
-- The highest position drawn is noted before the epoch is closed: whoever drew it holds the lock of that epoch or an
-- older one, so once the locks of every epoch not yet known to be drained were free, all of them have ended. Appends
-- that begin meanwhile go on in the new epoch and are not waited for.
--
-- Closing the epoch need not be on disk, the settled position must be: it is what readers elsewhere go by, and a crash
-- must not set it back. Where the last position drawn was given up, nothing else has flushed the sequence, and the
-- position would be drawn again for an event that those readers then miss.
CREATE OR REPLACE PROCEDURE log.settle(INOUT settled bigint DEFAULT NULL)
LANGUAGE plpgsql AS $$
DECLARE
  drawn   bigint;
  closing bigint;
  drained bigint;
BEGIN
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO drawn FROM log.position;
  SELECT settled_position INTO settled FROM log.state;
  IF drawn <= settled THEN
    RETURN;
  END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE log.state SET epoch = epoch + 1 RETURNING epoch - 1, drained_epoch INTO closing, drained;
  COMMIT;
  FOR old IN drained + 1 .. closing LOOP
    PERFORM pg_advisory_xact_lock(log.epoch_key(old));
    COMMIT;
  END LOOP;
  UPDATE log.state
  SET drained_epoch = greatest(drained_epoch, closing), settled_position = greatest(settled_position, drawn)
  RETURNING settled_position INTO settled;
  PERFORM pg_notify('notilog_settled', settled::text);
END $$;
