-- Settles the log: every position up to log.state.settled_position is committed or never will be. Call it outside a
-- transaction; concurrent calls do no harm. Returns the settled position.
--
-- It notes the highest assigned position before it waits for the appends under way (log.drain_appends): the append that
-- assigned it is one of them, or has ended. Later appends continue in the new epoch; it does not wait for them.
--
-- The settled position must be durable: other readers depend on it, and a crash must not set it back. If the transaction of
-- the last position was rolled back, nothing else has flushed the sequence; the position would be assigned again, and those
-- readers would miss its event.
CREATE OR REPLACE PROCEDURE log.settle(INOUT settled bigint DEFAULT NULL)
LANGUAGE plpgsql AS $$
DECLARE
  drawn bigint;
BEGIN
  drawn := log.drawn_position();
  SELECT settled_position INTO settled FROM log.state;
  IF drawn <= settled THEN
    RETURN;
  END IF;
  CALL log.drain_appends();
  UPDATE log.state SET settled_position = greatest(settled_position, drawn) RETURNING settled_position INTO settled;
  COMMIT;
END $$;
