-- The device of a quarantined item, as the log would store it; '' if it names none.
CREATE OR REPLACE FUNCTION log.quarantined_device(item jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(log.quarantined_id(CASE WHEN jsonb_typeof(item->'device_id') = 'string' THEN item->>'device_id' END), '')
$$;
