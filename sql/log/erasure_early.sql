-- Whether a device has so many events that an erasure changes those first that no batch of a version in use meets any more,
-- while such batches go on.
CREATE OR REPLACE FUNCTION log.erasure_is_long(app integer, device text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
  SELECT count(*) > coalesce(nullif(current_setting('notilog.erasure_events', true), '')::bigint, 10000)
  FROM (
    SELECT FROM log.event e WHERE (e.app_id, e.device_id) = (app, device)
    LIMIT coalesce(nullif(current_setting('notilog.erasure_events', true), '')::bigint, 10000) + 1) e
$$;

-- Whether every version in use has applied all events of a device and of tokens that belong to it alone: both are rejected, so
-- no batch meets their rows then, but for slices, which wait for lock.background.
CREATE OR REPLACE FUNCTION log.erasure_is_applied(app integer, device text, tokens bytea[]) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(min(coalesce(c.position, 0)) >= (
    -- The sum keeps it to the indexes by device and by token: max(e.position) alone would read the log backwards.
    SELECT coalesce(max(position + 0), 0)
    FROM (
      SELECT e.position FROM log.event e WHERE (e.app_id, e.device_id) = (app, device)
      UNION ALL
      SELECT e.position FROM unnest(tokens) AS t (token) JOIN log.event e USING (token) WHERE e.app_id = app
    ) e), true)
  FROM projection.version v
  LEFT JOIN projection.checkpoint c ON c.name = v.leader
  WHERE v.schema_name = 'projection'
$$;

-- Whether an erasure may begin without keeping batches waiting for long.
CREATE OR REPLACE FUNCTION log.erasure_is_ready(app integer, device text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN log.erasure_is_long(app, device)
    THEN log.erasure_is_applied(app, device, log.erasure_tokens(app, device)) ELSE true END
$$;

-- The part of an erasure that comes before it stops batches: of a device of many events that are all applied. It changes what is
-- the device's alone: events without a token or with one of its own, and the rows likewise of tables that have the device in
-- their key. The caller has locked `background`.
--
--   digests   the digests of the tokens that are its own, each with the surrogate
--   key       makes the surrogates of its notifications, and of what else it named
--   events    how many events it changed
CREATE OR REPLACE FUNCTION log.erasure_early(
  app integer, device text, surrogate text, digests jsonb, key bytea, OUT events bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  "table" record;
BEGIN
  UPDATE log.identity i
  SET device_hash = hashtextextended(surrogate, 0), digest = gen_random_uuid()
  FROM log.event e
  WHERE e.app_id = app AND e.device_id = device AND (i.id, i.device_hash, i.app_id) = (e.id, hashtextextended(device, 0), app);

  UPDATE log.event e
  SET device_id = surrogate, notification_id = log.surrogate_for(key, e.notification_id),
    token = decode(digests->>encode(e.token, 'hex'), 'hex'),
    data = log.erased_data(e.kind, coalesce(e.data, e.data_text::jsonb), key), data_text = NULL
  WHERE e.app_id = app AND e.device_id = device AND (e.token IS NULL OR digests ? encode(e.token, 'hex'));
  GET DIAGNOSTICS events = ROW_COUNT;

  FOR "table" IN
    SELECT t.*
    FROM log.erasure_tables() t
    JOIN pg_index i ON i.indrelid = t.name::regclass AND i.indisprimary
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) AND a.attname = 'device_id'
  LOOP
    PERFORM log.erasure_rename("table".name, app, device, surrogate, key, digests, true);
  END LOOP;
END $$;

-- What a device named: its notifications, requests, Live Activities and orders, also those that retention left in tables alone.
-- An event without a device belongs to the one that alone has its token.
CREATE OR REPLACE FUNCTION log.erasure_names(app integer, device text, tokens bytea[]) RETURNS text[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  names   text[];
  "table" record;
BEGIN
  SELECT array_agg(e.notification_id) || array_agg(e.data->>'request_identifier') || array_agg(e.data->>'activity_id')
    || array_agg(e.data->>'order_id') INTO names
  FROM (
    SELECT notification_id, coalesce(data, data_text::jsonb) AS data FROM log.event WHERE app_id = app AND device_id = device
    UNION ALL
    SELECT o.notification_id, coalesce(o.data, o.data_text::jsonb) FROM unnest(tokens) AS t (token) JOIN log.event o USING (token)
    WHERE o.app_id = app AND o.device_id = ''
  ) e;
  FOR "table" IN SELECT * FROM log.erasure_tables() WHERE has_notification LOOP
    EXECUTE format('SELECT $3 || array_agg(notification_id) FROM %s WHERE app_id = $1 AND device_id = $2', "table".name)
    INTO names USING app, device, names;
  END LOOP;
  FOR "table" IN SELECT * FROM log.erasure_tables() WHERE has_activity LOOP
    EXECUTE format('SELECT $3 || array_agg(DISTINCT activity_id) FROM %s WHERE app_id = $1 AND device_id = $2 AND activity_id > $4 AND %s',
      "table".name, "table".of_activity)
    INTO names USING app, device, names, ''::text;
  END LOOP;
  FOR "table" IN SELECT * FROM log.erasure_tables() WHERE has_order LOOP
    EXECUTE format('SELECT $3 || array_agg(order_id) FROM %s WHERE app_id = $1 AND device_id = $2', "table".name)
    INTO names USING app, device, names;
  END LOOP;
  RETURN names;
END $$;

-- A surrogate for each digest of a token, both in hexadecimal digits.
CREATE OR REPLACE FUNCTION log.erasure_digests(tokens bytea[]) RETURNS jsonb
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(jsonb_object_agg(encode(token, 'hex'), encode(sha256(uuid_send(gen_random_uuid())), 'hex')), '{}')
  FROM unnest(tokens) AS t (token)
$$;

-- Replaces a device and what is its own in the rows of a table of log.erasure_tables. Returns whether it had any.
--
--   is_early   leaves rows with a token that is not in `digests`: other devices hold it too
CREATE OR REPLACE FUNCTION log.erasure_rename(
  "table" text, app integer, device text, surrogate text, key bytea, digests jsonb, is_early boolean) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  has     record;
  changed bigint;
BEGIN
  SELECT * INTO STRICT has FROM log.erasure_tables() t WHERE t.name = "table";
  EXECUTE format('UPDATE %s SET device_id = $3', "table")
    || CASE WHEN has.has_notification THEN ', notification_id = log.surrogate_for($4, notification_id)' ELSE '' END
    || CASE WHEN has.has_token THEN ', token = coalesce(decode($5->>encode(token, ''hex''), ''hex''), token)' ELSE '' END
    || CASE WHEN has.has_activity THEN format(', activity_id = CASE WHEN %s THEN log.surrogate_for($4, activity_id) ELSE activity_id END',
      has.of_activity) ELSE '' END
    || CASE WHEN has.has_order THEN ', order_id = log.surrogate_for($4, order_id)' ELSE '' END
    || CASE WHEN has.has_thread THEN ', thread = NULL' ELSE '' END
    || CASE WHEN has.has_first_thread THEN ', first_thread = NULL' ELSE '' END
    || CASE WHEN has.has_attributes THEN ', attributes = NULL' ELSE '' END
    || ' WHERE app_id = $1 AND device_id = $2'
    || CASE WHEN is_early AND has.has_token THEN ' AND (token IS NULL OR $5 ? encode(token, ''hex''))' ELSE '' END
  USING app, device, surrogate, key, digests;
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed > 0;
END $$;
