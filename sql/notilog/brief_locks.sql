-- Limits the lock wait of a reader's DDL statement to 10 ms. CREATE RULE, or CREATE TABLE … PARTITION OF, requests an
-- exclusive lock on a table before PostgreSQL checks privileges: while it waits behind an open transaction, even of the same
-- reader, every append and batch waits behind it.
CREATE OR REPLACE FUNCTION notilog.brief_locks() RETURNS event_trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF to_regrole('notilog_reader') IS NULL OR to_regrole('notilog_projector') IS NULL
    OR NOT pg_has_role(session_user, 'notilog_reader', 'MEMBER') OR pg_has_role(session_user, 'notilog_projector', 'MEMBER')
  THEN
    RETURN;
  END IF;
  IF tg_event = 'ddl_command_start' THEN
    PERFORM set_config('notilog.lock_timeout', current_setting('lock_timeout'), true), set_config('lock_timeout', '10ms', true);
  ELSE
    PERFORM set_config('lock_timeout', current_setting('notilog.lock_timeout'), true);
  END IF;
END $$;
