-- Records the result of replayed items of one app: stored items, or duplicates, are marked; the others stay, with their new
-- error. What was marked before stays so, however it is replayed again. Each array has one element an item; a null code means that
-- it is stored.
CREATE OR REPLACE FUNCTION log.quarantine_replayed(
  app integer, ids bigint[], codes text[], pointers text[], messages text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM log.quarantine_lock(app);
  UPDATE log.quarantine q
  SET replayed_at = CASE WHEN r.code IS NULL THEN clock_timestamp() END,
    code = coalesce(r.code, q.code), pointer = coalesce(r.pointer, q.pointer), message = coalesce(r.message, q.message)
  FROM unnest(ids, codes, pointers, messages) AS r (id, code, pointer, message)
  WHERE q.quarantine_id = r.id AND q.app_id = app AND q.replayed_at IS NULL;
  PERFORM log.quarantine_recount(app);
END $$;
