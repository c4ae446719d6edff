-- Stores rejected items of one app, up to its limits: a full quarantine takes no more, so that a flood of bad items costs
-- only a read of log.quarantine_usage, neither disk nor earlier items.
--
-- Each array has one element an item; sizes has the bytes of items as JSON, and services of earlier releases do not give it: to write
-- a large item out again, only to measure it, takes long under the lock. Returns how many were stored; how many were not because the
-- app's quarantine is full; and how many were not because their device was erased. While something else has the app's lock for long, as
-- the end of an erasure, it fails with 55P03 before long: its senders are to come again, rather than to keep a session waiting.
CREATE OR REPLACE FUNCTION log.quarantine_add(
  app integer, key_ids text[], received_ats timestamptz[], sent_ats timestamptz[], codes text[], pointers text[],
  messages text[], lengths integer[], digests uuid[], items jsonb[], item_limit bigint, byte_limit bigint,
  sizes integer[] DEFAULT NULL,
  OUT kept integer, OUT refused integer, OUT erased integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
  used_items bigint;
  used_bytes bigint;
  gone       bigint[];
BEGIN
  PERFORM log.quarantine_lock(app);
  SELECT coalesce(sum(u.items), 0), coalesce(sum(u.bytes), 0) INTO used_items, used_bytes
  FROM log.quarantine_usage u WHERE u.app_id = app;
  SELECT log.erased_ordinals(array_agg(app), array_agg(item->>'kind' ORDER BY ordinal),
    array_agg(log.quarantined_device(item) ORDER BY ordinal),
    array_agg(log.quarantined_token(item) ORDER BY ordinal))
  INTO gone FROM unnest(items) WITH ORDINALITY AS i (item, ordinal);
  erased := coalesce(cardinality(gone), 0);

  WITH item AS (
    SELECT i.*, 256 + octet_length(message) + octet_length(pointer) + coalesce(size, octet_length(item::text), 0) AS bytes
    FROM unnest(key_ids, received_ats, sent_ats, codes, pointers, messages, lengths, digests, items, sizes) WITH ORDINALITY
      AS i (key_id, received_at, sent_at, code, pointer, message, length, digest, item, size, ordinal)
    WHERE gone IS NULL OR ordinal <> ALL (gone)
  ), fitting AS (
    SELECT *
    FROM (SELECT *, count(*) OVER sofar AS nth, sum(bytes) OVER sofar AS weight FROM item WINDOW sofar AS (ORDER BY ordinal)) i
    WHERE used_items + nth <= item_limit AND used_bytes + weight <= byte_limit
  ), inserted AS (
    INSERT INTO log.quarantine (app_id, key_id, received_at, sent_at, code, pointer, message, length, digest, item, bytes)
    SELECT app, key_id, received_at, sent_at, code, pointer, message, length, digest, item, bytes
    FROM fitting ORDER BY ordinal
    RETURNING code, bytes
  ), counted AS (
    INSERT INTO log.quarantine_usage AS u (app_id, code, items, bytes)
    SELECT app, code, count(*), sum(bytes) FROM inserted GROUP BY code
    ON CONFLICT (app_id, code) DO UPDATE SET items = u.items + excluded.items, bytes = u.bytes + excluded.bytes
  )
  SELECT count(*) INTO kept FROM inserted;
  refused := cardinality(items) - erased - kept;
END $$;
