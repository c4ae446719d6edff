-- Empties quarantined items of a device: its own items, those with a token of its own, and those without a device that name
-- one of its notifications. Time, kind and error code stay.
CREATE OR REPLACE FUNCTION log.erasure_quarantine(app integer, device text, tokens bytea[], names text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM log.quarantine_lock(app);
  UPDATE log.quarantine q
  SET item = jsonb_strip_nulls(jsonb_build_object('kind', item->'kind')), message = 'the device was erased',
    digest = '00000000-0000-0000-0000-000000000000'
  WHERE app_id = app AND item IS NOT NULL AND (
    log.quarantined_device(item) = device
    OR log.quarantined_token(item) IN (SELECT unnest(tokens))
    -- A join, as a list would be searched for each item.
    OR quarantine_id IN (
      SELECT o.quarantine_id
      FROM log.quarantine o
      CROSS JOIN LATERAL (VALUES
        (log.quarantined_id(o.item->>'notification_id')), (log.quarantined_id(o.item->>'request_identifier')),
        (log.quarantined_id(o.item#>>'{payload,notilog,id}')), (log.quarantined_id(o.item#>>'{headers,apns-collapse-id}'))) AS i (id)
      JOIN unnest(names) AS n (name) ON n.name = i.id
      WHERE o.app_id = app AND o.item IS NOT NULL AND log.quarantined_device(o.item) = ''));
  PERFORM log.quarantine_recount(app);
END $$;
