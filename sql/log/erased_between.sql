-- The surrogates of the devices whose erasure is recorded in a range of the log.
CREATE OR REPLACE FUNCTION log.erased_between(after bigint, upto bigint) RETURNS TABLE (app_id integer, device_id text)
LANGUAGE sql STABLE AS $$
  SELECT e.app_id, e.device_id
  FROM log.erasure l
  JOIN log.event e ON e.position = l.position AND e.kind = 'erasure'
  WHERE l.position > after AND l.position <= upto
$$;
