-- Items in quarantine, oldest first; a null parameter does not filter.
--
--   app        the app's name
--   code       of the error
--   kind       of the event, as sent
--   since      received at or after this time
--   ids        only these
--   pending    only items not replayed
--   after_id   the last id of the previous page
CREATE OR REPLACE FUNCTION log.quarantine_items(
  app text DEFAULT NULL, code text DEFAULT NULL, kind text DEFAULT NULL, since timestamptz DEFAULT NULL,
  ids bigint[] DEFAULT NULL, pending boolean DEFAULT false, after_id bigint DEFAULT 0, page integer DEFAULT 1000)
RETURNS TABLE (
  quarantine_id bigint, app_id integer, app_name text, key_id text, key_scope text, received_at timestamptz,
  sent_at timestamptz, code text, pointer text, message text, length integer, kind text, replayed_at timestamptz, item jsonb)
LANGUAGE sql STABLE AS $$
  SELECT q.quarantine_id, q.app_id, a.name, q.key_id, k.scope, q.received_at, q.sent_at, q.code, q.pointer, q.message,
    q.length, coalesce(q.item->>'kind', ''), q.replayed_at, q.item
  FROM log.quarantine q
  LEFT JOIN notilog.app a ON a.app_id = q.app_id
  LEFT JOIN notilog.api_key k ON k.key_id = q.key_id
  WHERE q.quarantine_id > after_id
    AND ($1 IS NULL OR a.name = $1)
    AND ($2 IS NULL OR q.code = $2)
    AND ($3 IS NULL OR q.item->>'kind' = $3)
    AND ($4 IS NULL OR q.received_at >= $4)
    AND ($5 IS NULL OR q.quarantine_id = ANY ($5))
    AND (NOT pending OR q.replayed_at IS NULL)
  ORDER BY q.quarantine_id
  LIMIT page
$$;
