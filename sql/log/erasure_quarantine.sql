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
    OR coalesce(item->>'token', item#>>'{push,token}') IN (SELECT 'sha256:' || encode(token, 'hex') FROM unnest(tokens) AS t (token))
    OR (log.quarantined_device(item) = '' AND (
      notifications ? regexp_replace(coalesce(item->>'notification_id', ''), '^hmac-sha256:', '')
      OR notifications ? regexp_replace(coalesce(item->>'request_identifier', ''), '^hmac-sha256:', '')
      OR notifications ? regexp_replace(coalesce(item#>>'{payload,notilog,id}', ''), '^hmac-sha256:', '')
      OR notifications ? regexp_replace(coalesce(item#>>'{headers,apns-collapse-id}', ''), '^hmac-sha256:', ''))));
  PERFORM log.quarantine_recount(app);
END $$;
