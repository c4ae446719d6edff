-- Finds how far the log is settled: every position up to log.state.settled_position is committed or never will be.
-- Called outside a transaction; several at a time do no harm. Gives the settled position, and notifies channel
-- notilog_settled of a new one.
--
-- The highest position drawn is noted before the appends under way are waited for (log.drain_appends): whoever drew it is
-- one of them, or has ended. Appends that begin meanwhile go on in the new epoch and are not waited for.
--
-- The settled position must be on disk: it is what readers elsewhere go by, and a crash must not set it back. Where the
-- last position drawn was given up, nothing else has flushed the sequence, and the position would be drawn again for an
-- event that those readers then miss.
CREATE OR REPLACE PROCEDURE log.settle(INOUT settled bigint DEFAULT NULL)
LANGUAGE plpgsql AS $$
DECLARE
  drawn bigint;
BEGIN
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO drawn FROM log.position;
  SELECT settled_position INTO settled FROM log.state;
  IF drawn <= settled THEN
    RETURN;
  END IF;
  CALL log.drain_appends();
  UPDATE log.state SET settled_position = greatest(settled_position, drawn) RETURNING settled_position INTO settled;
  COMMIT;
  -- By itself, and not into a queue that somebody lets fill: where it is full, whoever notifies fails.
  IF pg_notification_queue_usage() < 0.5 THEN
    PERFORM pg_notify('notilog_settled', settled::text);
  END IF;
END $$;
