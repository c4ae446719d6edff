-- 2. Removes a device from the log and everything computed from it: random surrogates replace its id, its token digests and
-- notification ids, and personal data is deleted. Returns the position of the event that records it, and the number of
-- events changed. Nothing links a surrogate to the original, but that it has the device's lane.
--
-- This is the only UPDATE of the log. Ties between devices are broken by their ids: the event makes the projections
-- reconsider them (sql/projections/category, sql/projections/device_token).
--
--   more   further digests of the device's tokens, which here only events of other devices carry
CREATE OR REPLACE FUNCTION log.erasure_finish(
  app integer, device text, more bytea[] DEFAULT '{}', OUT "position" bigint, OUT events bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  surrogate     text := log.surrogate(device);
  tokens        bytea[];
  ids           text[];
  notifications jsonb;
  early         record;
  patience      constant text := current_setting('lock_timeout');
  digests       jsonb;
  moment        timestamptz := clock_timestamp();
  entry         record;
  found_any     boolean;
  "table"       record;
BEGIN
  -- Long batches have ended, while batches of the versions in use continue.
  PERFORM lock.exclusive('background');
  -- A session that numbers changes for an export has read the device before the erasure, and its rows are not visible yet:
  -- this waits for it, and not for long, because long batches wait meanwhile: it is tried again. One that began earlier and
  -- continues later fails with 40001 and starts over.
  PERFORM set_config('lock_timeout', '2s', true);
  INSERT INTO export.feed (app_id, dataset)
  SELECT app, d.name FROM export.dataset d WHERE d.keys <> '{}' ORDER BY d.name
  ON CONFLICT (app_id, dataset) DO UPDATE SET change = feed.change;
  PERFORM set_config('lock_timeout', patience, true);
  SELECT '{}'::jsonb AS notifications, 0::bigint AS events INTO early;
  IF log.erasure_is_long(app, device) AND log.erasure_is_applied(app, device) THEN
    SELECT * INTO early FROM log.erasure_early(app, device, surrogate);
    -- What was done must not be undone because batches were under way once.
    LOOP
      BEGIN
        PERFORM lock.stop_batches();
        EXIT;
      EXCEPTION WHEN lock_not_available THEN
        PERFORM pg_sleep(0.1);
      END;
    END LOOP;
  ELSE
    -- The same for batches of projections.
    PERFORM lock.stop_batches();
  END IF;

  tokens := log.erasure_tokens(app, device) || more;
  -- An event without a device belongs to this one if only this device has its token.
  SELECT array_agg(e.notification_id) || array_agg(e.data->>'request_identifier') || array_agg(e.data->>'activity_id')
    || array_agg(e.data->>'order_id') INTO ids
  FROM (
    SELECT notification_id, data FROM log.event WHERE app_id = app AND device_id = device
    UNION ALL
    SELECT notification_id, data FROM log.event
    WHERE app_id = app AND token = ANY (tokens) AND device_id = ''
  ) e;
  FOR "table" IN SELECT * FROM log.erasure_tables() WHERE has_notification LOOP
    EXECUTE format('SELECT $3 || array_agg(notification_id) FROM %s WHERE app_id = $1 AND device_id = $2', "table".name)
    INTO ids USING app, device, ids;
  END LOOP;
  FOR "table" IN SELECT * FROM log.erasure_tables() WHERE has_activity LOOP
    EXECUTE format('SELECT $3 || array_agg(DISTINCT activity_id) FROM %s WHERE app_id = $1 AND device_id = $2 AND activity_id > $4 AND %s',
      "table".name, "table".of_activity)
    INTO ids USING app, device, ids, ''::text;
  END LOOP;
  FOR "table" IN SELECT * FROM log.erasure_tables() WHERE has_order LOOP
    EXECUTE format('SELECT $3 || array_agg(order_id) FROM %s WHERE app_id = $1 AND device_id = $2', "table".name)
    INTO ids USING app, device, ids;
  END LOOP;
  notifications := log.surrogates(ids) || early.notifications;
  SELECT coalesce(jsonb_object_agg(encode(token, 'hex'), encode(sha256(uuid_send(gen_random_uuid())), 'hex')), '{}')
  INTO digests FROM unnest(tokens) AS t (token);

  -- These ids are rejected when sent again, so no digest is needed to distinguish a repeat from a conflict.
  UPDATE log.identity i
  SET device_hash = hashtextextended(surrogate, 0), digest = gen_random_uuid()
  FROM log.event e
  WHERE e.app_id = app AND e.device_id = device AND (i.id, i.device_hash, i.app_id) = (e.id, hashtextextended(device, 0), app);

  UPDATE log.event
  SET device_id = surrogate, notification_id = coalesce(notifications->>notification_id, notification_id),
    token = coalesce(decode(digests->>encode(token, 'hex'), 'hex'), token), data = log.erased_data(kind, data, notifications)
  WHERE app_id = app AND device_id = device;
  GET DIAGNOSTICS events = ROW_COUNT;
  events := events + early.events;
  found_any := events > 0;

  -- Another device's event stays that device's: only the token in it is replaced.
  UPDATE log.event
  SET notification_id = CASE device_id WHEN '' THEN coalesce(notifications->>notification_id, notification_id) ELSE notification_id END,
    token = coalesce(decode(digests->>encode(token, 'hex'), 'hex'), token),
    data = CASE device_id WHEN '' THEN log.erased_data(kind, data, notifications) ELSE data END
  WHERE app_id = app AND token = ANY (tokens);

  FOR "table" IN SELECT * FROM log.erasure_tables() LOOP
    found_any := log.erasure_rename("table".name, app, device, surrogate, notifications, digests) OR found_any;
    IF "table".has_token THEN
      EXECUTE format('UPDATE %s SET token = decode($3->>encode(token, ''hex''), ''hex'') WHERE app_id = $1 AND token = ANY ($2)', "table".name)
      USING app, tokens, digests;
    END IF;
  END LOOP;

  -- Identities in other tables, of events that the log no longer holds.
  FOR "table" IN
    SELECT c.oid::regclass AS name
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'device_hash' AND NOT a.attisdropped
    WHERE c.relnamespace = 'log'::regnamespace AND c.relkind IN ('r', 'p') AND c.oid <> 'log.identity'::regclass
  LOOP
    EXECUTE format('UPDATE %s SET device_hash = $3 WHERE app_id = $1 AND device_hash = $2', "table".name)
    USING app, hashtextextended(device, 0), hashtextextended(surrogate, 0);
  END LOOP;

  PERFORM log.erasure_quarantine(app, device, tokens, notifications);

  -- A second erasure without new events since returns the result of the first.
  SELECT l.position INTO "position"
  FROM log.erasure l, log.erasure_keys() k
  WHERE l.app_id = app AND l.bucket = hashtextextended(device, k.seed)
    AND l.key = log.keyed_hash(k.inner_pad, k.outer_pad, app || ':' || device);
  DELETE FROM log.erasure_pending p WHERE p.app_id = app AND p.device_id = device;
  IF "position" IS NOT NULL AND NOT found_any THEN
    RETURN;
  END IF;
  PERFORM log.ensure_partitions(moment, moment);
  SELECT * INTO entry FROM log.append(
    ARRAY[app], ARRAY[gen_random_uuid()], ARRAY[gen_random_uuid()], ARRAY['erasure'], ARRAY[surrogate], ARRAY[moment],
    ARRAY[moment], ARRAY[moment], ARRAY[NULL::timestamptz], ARRAY[NULL::timestamptz], ARRAY[0::smallint], ARRAY[1::smallint],
    ARRAY[false], ARRAY[NULL::text], ARRAY[NULL::bytea], ARRAY[jsonb_build_object('events', events)]);
  "position" := entry.positions[1];
  UPDATE log.erasure l SET position = entry.positions[1]
  FROM log.erasure_keys() k
  WHERE l.app_id = app AND l.bucket = hashtextextended(device, k.seed)
    AND l.key = log.keyed_hash(k.inner_pad, k.outer_pad, app || ':' || device);
END $$;
