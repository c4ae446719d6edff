-- Every table besides the log that holds rows of devices: any table with the columns app_id and device_id in Notilog's
-- schemas, including versions of projections under construction, so that a new table needs no registration. Further columns:
--   notification_id   replaced by a surrogate
--   token             a digest, replaced by a surrogate
--   activity_id       of a Live Activity, replaced by a surrogate. Of a token, by its type, it may be the name of a type of
--                     activities or a kind of control, which stay: of_activity is the condition for those that are replaced
--   order_id          of a conversion, replaced by a surrogate
--   thread            of a notification, removed; with it first_thread, the claim that it comes from, where there is one
--   attributes        values of the app's own dimensions, removed
CREATE OR REPLACE FUNCTION log.erasure_tables()
RETURNS TABLE (name text, has_notification boolean, has_token boolean, has_activity boolean, of_activity text, has_order boolean,
  has_thread boolean, has_first_thread boolean, has_attributes boolean)
LANGUAGE sql STABLE AS $$
  SELECT format('%I.%I', n.nspname, c.relname), bool_or(a.attname = 'notification_id'),
    bool_or(a.attname = 'token' AND a.atttypid = 'bytea'::regtype), bool_or(a.attname = 'activity_id'),
    CASE WHEN bool_or(a.attname = 'type') THEN 'type NOT IN (''push_to_start'', ''control'')' ELSE 'true' END,
    bool_or(a.attname = 'order_id'),
    bool_or(a.attname = 'thread'), bool_or(a.attname = 'first_thread'), bool_or(a.attname = 'attributes')
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
    AND n.nspname ~ '^(notilog|log|report|baseline|export|projection.*)$'
    AND c.oid NOT IN ('log.event'::regclass, 'log.erasure_pending'::regclass)
  GROUP BY n.nspname, c.relname
  HAVING bool_or(a.attname = 'app_id') AND bool_or(a.attname = 'device_id')
  ORDER BY n.nspname, c.relname
$$;
