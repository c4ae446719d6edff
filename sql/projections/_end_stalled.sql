-- Ends batches whose rows nobody has read for so long, as their process is frozen: the server waits in a write, which no time
-- limit of its own ends, and holds the lane's lock. Returns the number of sessions. It acts as the login itself, whose sessions
-- they are, and which may end them.
CREATE OR REPLACE FUNCTION projection.end_stalled(application text, seconds integer) RETURNS bigint
LANGUAGE sql SET role = none AS $$
  SELECT count(pg_terminate_backend(a.pid)) FROM pg_stat_activity a
  WHERE a.datname = current_database() AND a.application_name = end_stalled.application AND a.wait_event = 'ClientWrite'
    AND a.query_start < now() - end_stalled.seconds * interval '1 s'
$$;
