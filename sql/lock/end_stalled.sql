-- Ends sessions of an application that have waited for their process where no time limit of the server holds, with the locks of
-- their transaction: the process is frozen. It sent a part of what the server needs to end the statement, or does not read the rows
-- that the server writes. The last of those are written when the statement has ended and the session says that it is idle.
-- A statement is looked at once it is so many seconds old, and again two seconds later: a process that goes on has sent or read
-- something by then. Returns the number of sessions. It acts as the login itself, which may call no function of this schema, and
-- ends sessions of its own and of roles whose rights it has.
CREATE OR REPLACE FUNCTION lock.end_stalled(application text, seconds integer) RETURNS bigint
LANGUAGE plpgsql SET role = none AS $$
DECLARE
  seen  jsonb;   -- when the statement began, by the session's process id
  ended bigint := 0;
BEGIN
  FOR look IN 1..2 LOOP
    SELECT jsonb_object_agg(a.pid, a.query_start), count(*) FILTER (WHERE look = 2 AND pg_terminate_backend(a.pid))
    INTO seen, ended
    FROM pg_stat_activity a
    WHERE a.datname = current_database() AND a.application_name = application
      AND (a.wait_event = 'ClientWrite' OR a.state = 'active' AND a.wait_event = 'ClientRead')
      AND a.query_start < clock_timestamp() - seconds * interval '1 s'
      AND pg_has_role(a.usesysid, 'USAGE')
      AND (look = 1 OR seen->a.pid::text = to_jsonb(a.query_start));
    EXIT WHEN seen IS NULL OR look = 2;
    PERFORM pg_sleep(2), pg_stat_clear_snapshot();
  END LOOP;
  RETURN ended;
END $$;
