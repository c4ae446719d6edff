-- The surrogates of the devices whose erasure is recorded in a range of the log. It reads the log itself (the index
-- event_erasure): the ledger has one row per device, which for a device erased twice, as after a restore, shows the second
-- time only.
CREATE OR REPLACE FUNCTION log.erased_between(after bigint, upto bigint) RETURNS TABLE (app_id integer, device_id text)
LANGUAGE sql STABLE AS $$
  SELECT e.app_id, e.device_id
  FROM log.event e
  WHERE e.kind = 'erasure' AND e.position > after AND e.position <= upto
$$;

-- The same of devices of other cells whose copies were erased here.
CREATE OR REPLACE FUNCTION log.erased_copies_between(after bigint, upto bigint) RETURNS TABLE (app_id integer, device_id text)
LANGUAGE sql STABLE AS $$
  SELECT c.app_id, c.device_id
  FROM log.copy c
  WHERE c.kind = 'erasure' AND c.position > after AND c.position <= upto
$$;
