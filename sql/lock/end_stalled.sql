-- Ends sessions of an application that have waited for their process for so long in the middle of a statement, with the locks of
-- their transaction: the process is frozen. It does not read the rows that the server writes, or sent a part of what the server
-- needs to end the statement. No time limit of the server holds there. Returns the number of sessions. It acts as the login
-- itself, and ends sessions of its own and of roles that it is a member of.
CREATE OR REPLACE FUNCTION lock.end_stalled(application text, seconds integer) RETURNS bigint
LANGUAGE sql SET role = none AS $$
  SELECT count(pg_terminate_backend(a.pid)) FROM pg_stat_activity a
  WHERE a.datname = current_database() AND a.application_name = end_stalled.application
    AND a.state = 'active' AND a.wait_event IN ('ClientRead', 'ClientWrite')
    AND a.query_start < now() - end_stalled.seconds * interval '1 s'
    AND pg_has_role(a.usesysid, 'MEMBER')
$$;
