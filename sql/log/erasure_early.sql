-- Whether a device has so many events that an erasure changes those first that no batch of a version in use meets any more,
-- while such batches go on.
CREATE OR REPLACE FUNCTION log.erasure_is_long(app integer, device text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
  SELECT count(*) > coalesce(nullif(current_setting('notilog.erasure_events', true), '')::bigint, 10000)
  FROM (
    SELECT FROM log.event e WHERE (e.app_id, e.device_id) = (app, device)
    LIMIT coalesce(nullif(current_setting('notilog.erasure_events', true), '')::bigint, 10000) + 1) e
$$;

-- Whether every version in use has applied all events of a device: it is refused, so no batch meets its rows then, but for
-- slices, which wait for lock.background.
CREATE OR REPLACE FUNCTION log.erasure_is_applied(app integer, device text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT NOT EXISTS (
    SELECT FROM projection.version v
    LEFT JOIN projection.checkpoint c ON c.name = v.leader
    WHERE v.schema_name = 'projection' AND coalesce(c.position, 0) < (
      -- The sum keeps it to the index by device: max(e.position) alone would read the log backwards.
      SELECT coalesce(max(e.position + 0), 0) FROM log.event e WHERE (e.app_id, e.device_id) = (app, device)))
$$;

-- Whether an erasure may begin without keeping batches waiting for long.
CREATE OR REPLACE FUNCTION log.erasure_is_ready(app integer, device text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT NOT log.erasure_is_long(app, device) OR log.erasure_is_applied(app, device)
$$;

-- The part of an erasure that comes before it stops batches: of a device of many events that are all applied. It changes what is
-- the device's alone: events without a token, and the rows of tables that have the device in their key and no token. The
-- caller has locked `background`. Returns the surrogates of the notifications, and the number of events.
CREATE OR REPLACE FUNCTION log.erasure_early(
  app integer, device text, surrogate text, OUT notifications jsonb, OUT events bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  ids     text[];
  "table" record;
BEGIN
  SELECT array_agg(e.notification_id) || array_agg(e.data->>'request_identifier') || array_agg(e.data->>'activity_id')
    || array_agg(e.data->>'order_id') INTO ids
  FROM log.event e WHERE e.app_id = app AND e.device_id = device;
  FOR "table" IN SELECT * FROM log.erasure_tables() WHERE has_notification LOOP
    EXECUTE format('SELECT $3 || array_agg(notification_id) FROM %s WHERE app_id = $1 AND device_id = $2', "table".name)
    INTO ids USING app, device, ids;
  END LOOP;
  notifications := log.surrogates(ids);

  UPDATE log.identity i
  SET device_hash = hashtextextended(surrogate, 0), digest = gen_random_uuid()
  FROM log.event e
  WHERE e.app_id = app AND e.device_id = device AND (i.id, i.device_hash, i.app_id) = (e.id, hashtextextended(device, 0), app);

  UPDATE log.event e
  SET device_id = surrogate, notification_id = coalesce(notifications->>e.notification_id, e.notification_id),
    data = log.erased_data(e.kind, e.data, notifications)
  WHERE e.app_id = app AND e.device_id = device AND e.token IS NULL;
  GET DIAGNOSTICS events = ROW_COUNT;

  FOR "table" IN
    SELECT t.*
    FROM log.erasure_tables() t
    JOIN pg_index i ON i.indrelid = t.name::regclass AND i.indisprimary
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) AND a.attname = 'device_id'
    WHERE NOT t.has_token AND NOT t.has_activity AND NOT t.has_order
  LOOP
    PERFORM log.erasure_rename("table".name, app, device, surrogate, notifications, '{}');
  END LOOP;
END $$;

-- Replaces a device and what is its own in the rows of a table of log.erasure_tables. Returns whether it had any.
CREATE OR REPLACE FUNCTION log.erasure_rename(
  "table" text, app integer, device text, surrogate text, notifications jsonb, digests jsonb) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  has     record;
  changed bigint;
BEGIN
  SELECT * INTO STRICT has FROM log.erasure_tables() t WHERE t.name = "table";
  EXECUTE format('UPDATE %s SET device_id = $3', "table")
    || CASE WHEN has.has_notification THEN ', notification_id = coalesce($4->>notification_id, notification_id)' ELSE '' END
    || CASE WHEN has.has_token THEN ', token = coalesce(decode($5->>encode(token, ''hex''), ''hex''), token)' ELSE '' END
    || CASE WHEN has.has_activity THEN format(', activity_id = CASE WHEN %s THEN coalesce($4->>activity_id, activity_id) ELSE activity_id END',
      has.of_activity) ELSE '' END
    || CASE WHEN has.has_order THEN ', order_id = coalesce($4->>order_id, order_id)' ELSE '' END
    || CASE WHEN has.has_thread THEN ', thread = NULL' ELSE '' END
    || CASE WHEN has.has_first_thread THEN ', first_thread = NULL' ELSE '' END
    || CASE WHEN has.has_attributes THEN ', attributes = NULL' ELSE '' END
    || ' WHERE app_id = $1 AND device_id = $2'
  USING app, device, surrogate, notifications, digests;
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed > 0;
END $$;
