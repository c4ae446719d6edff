-- Empties quarantined items of a device: its own items, those with a token of its own, and those without a device that name
-- one of its notifications. Time, kind and error code stay.
CREATE OR REPLACE FUNCTION log.erasure_quarantine(app integer, device text, tokens bytea[], notifications jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM log.quarantine_lock(app);
  UPDATE log.quarantine q
  SET item = jsonb_strip_nulls(jsonb_build_object('kind', item->'kind')), message = 'the device was erased',
    digest = '00000000-0000-0000-0000-000000000000'
  WHERE app_id = app AND item IS NOT NULL AND (
    log.quarantined_device(item) = device
    OR log.quarantined_token(item) IN (SELECT unnest(tokens))
    OR (log.quarantined_device(item) = '' AND notifications ?| ARRAY[
      log.quarantined_id(item->>'notification_id'), log.quarantined_id(item->>'request_identifier'),
      log.quarantined_id(item#>>'{payload,notilog,id}'), log.quarantined_id(item#>>'{headers,apns-collapse-id}')]));
  PERFORM log.quarantine_recount(app);
END $$;
