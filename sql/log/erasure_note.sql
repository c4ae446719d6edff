-- Notes a device that is to be erased, before the erasure begins: where the process that was asked dies, another one does it.
CREATE OR REPLACE FUNCTION log.erasure_note(app integer, device text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM log.refuse_closed(log.enter_epoch());
  INSERT INTO log.erasure_pending (app_id, device_id, is_told) VALUES (app, device, log.is_alone()) ON CONFLICT DO NOTHING;
END $$;
