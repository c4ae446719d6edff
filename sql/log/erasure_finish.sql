-- Removes a device from the log and everything computed from it: random surrogates replace its id, its token digests and
-- notification ids, and personal data is deleted. Returns the position of the event that records it, and the number of
-- events changed. Nothing links a surrogate to the original, but that it has the device's lane. In a cell that has copies of the
-- device's events alone, the event is among the copies; where there are none, there is no event, and the position is null.
--
-- Besides log.erasure_early, this is the only function that updates the log. Ties between devices are broken by their ids: the event makes the projections
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
  carried       bytea[];   -- surrogates of those that events carry which are not the device's own
  digests       jsonb := '{}';
  key           bytea := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());   -- of what it named
  names         text[];
  is_early      boolean := false;
  early         bigint := 0;
  usual_timeout constant text := current_setting('lock_timeout');
  moment        timestamptz := clock_timestamp();
  known         log.erasure;   -- the device in the ledger
  pending       log.erasure_pending;
  entry         record;
  found_any     boolean;
  "table"       record;
BEGIN
  SELECT * INTO pending FROM log.erasure_pending p WHERE (p.app_id, p.device_id) = (app, device);
  more := more || coalesce(pending.tokens, '{}');
  IF NOT log.is_own(device) AND NOT log.is_surrogate(device) THEN
    IF NOT log.erasure_concerns(app, device, more) THEN
      DELETE FROM log.erasure_pending p WHERE (p.app_id, p.device_id) = (app, device);
      events := 0;
      RETURN;
    END IF;
  END IF;
  -- Long batches have ended, while batches of the versions in use continue.
  PERFORM lock.exclusive('background');
  -- A session that numbers changes for an export has read the device before the erasure, and its rows are not visible yet:
  -- this waits for it, and not for long, because long batches wait meanwhile: it is tried again. One that began earlier and
  -- continues later fails with 40001 and starts over.
  PERFORM set_config('lock_timeout', '2s', true);
  INSERT INTO export.feed (app_id, dataset)
  SELECT app, d.name FROM export.dataset d WHERE d.keys <> '{}' ORDER BY d.name
  ON CONFLICT (app_id, dataset) DO UPDATE SET change = feed.change;
  PERFORM set_config('lock_timeout', usual_timeout, true);
  IF log.erasure_is_long(app, device) THEN
    tokens := log.erasure_tokens(app, device) || more;
    is_early := log.erasure_is_applied(app, device, tokens);
  END IF;
  IF is_early THEN
    digests := log.erasure_digests(tokens);
    names := log.erasure_names(app, device, tokens);
    early := log.erasure_early(app, device, surrogate, digests, key);
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

  -- What was replaced before keeps its surrogate.
  digests := log.erasure_digests(log.erasure_tokens(app, device) || more) || digests;
  tokens := ARRAY(SELECT decode(token, 'hex') FROM jsonb_object_keys(digests) AS t (token));
  names := ARRAY(
    SELECT DISTINCT n FROM unnest(names || log.erasure_names(app, device, tokens) || pending.names) AS u (n) WHERE n IS NOT NULL);

  -- These ids are rejected when sent again, so no digest is needed to distinguish a repeat from a conflict.
  UPDATE log.identity i
  SET device_hash = hashtextextended(surrogate, 0), digest = gen_random_uuid()
  FROM log.event e
  WHERE e.app_id = app AND e.device_id = device AND (i.id, i.device_hash, i.app_id) = (e.id, hashtextextended(device, 0), app);

  UPDATE log.event
  SET device_id = surrogate, notification_id = log.surrogate_for(key, notification_id),
    token = coalesce(decode(digests->>encode(token, 'hex'), 'hex'), token),
    data = log.erased_data(kind, coalesce(data, data_text::jsonb), key), data_text = NULL
  WHERE app_id = app AND device_id = device;
  GET DIAGNOSTICS events = ROW_COUNT;
  events := events + early;
  found_any := events > 0;

  -- Another device's event stays that device's: only the token in it is replaced.
  WITH changed AS (
    UPDATE log.event e
    SET notification_id = CASE e.device_id WHEN '' THEN log.surrogate_for(key, e.notification_id) ELSE e.notification_id END,
      token = decode(digests->>encode(e.token, 'hex'), 'hex'),
      data = CASE e.device_id WHEN '' THEN log.erased_data(e.kind, coalesce(e.data, e.data_text::jsonb), key) ELSE e.data END,
      data_text = CASE WHEN e.device_id <> '' THEN e.data_text END
    FROM unnest(tokens) AS t (token)
    WHERE e.app_id = app AND e.token = t.token
    RETURNING e.token
  )
  SELECT array_agg(DISTINCT token) INTO carried FROM changed;
  found_any := found_any OR carried IS NOT NULL;

  FOR "table" IN SELECT * FROM log.erasure_tables() LOOP
    found_any := log.erasure_rename("table".name, app, device, surrogate, key, digests, false) OR found_any;
    IF "table".has_token THEN
      EXECUTE format(
        'UPDATE %s r SET token = decode($3->>encode(r.token, ''hex''), ''hex'') FROM unnest($2) AS t (token) WHERE r.app_id = $1 AND r.token = t.token',
        "table".name)
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

  PERFORM log.erasure_quarantine(app, device, tokens, names);

  -- A second erasure without new events since returns the result of the first.
  SELECT l.* INTO known
  FROM log.erasure l, log.erasure_keys() k
  WHERE l.app_id = app AND l.bucket = hashtextextended(device, k.seed)
    AND l.key = log.keyed_hash(k.inner_pad, k.outer_pad, app || ':' || device);
  "position" := known.position;
  DELETE FROM log.erasure_pending p WHERE p.app_id = app AND p.device_id = device;
  IF "position" IS NOT NULL AND NOT found_any THEN
    RETURN;
  END IF;
  IF NOT log.is_own(device) THEN
    IF found_any THEN
      PERFORM log.refuse_closed(log.enter_epoch());
      INSERT INTO log.copy (position, received_at, occurred_at, effective_at, id, app_id, utc_offset, schema_version, time_clamped, kind,
        device_id, data, cell)
      SELECT nextval('log.position'), moment, moment, moment, gen_random_uuid(), app, 0, 1, false, 'erasure', surrogate, '{}', s.cell
      FROM log.state s;
      INSERT INTO log.erased_token SELECT app, surrogate, unnest(carried), currval('log.position');
    END IF;
    RETURN;
  END IF;
  PERFORM log.ensure_partitions(moment, moment);
  SELECT * INTO entry FROM log.append(
    ARRAY[app], ARRAY[gen_random_uuid()], ARRAY[gen_random_uuid()], ARRAY['erasure'], ARRAY[surrogate], ARRAY[moment],
    ARRAY[moment], ARRAY[moment], ARRAY[NULL::timestamptz], ARRAY[NULL::timestamptz], ARRAY[0::smallint], ARRAY[1::smallint],
    ARRAY[false], ARRAY[NULL::text], ARRAY[NULL::bytea], ARRAY[jsonb_build_object('events', events)]);
  "position" := entry.positions[1];
  INSERT INTO log.erased_token SELECT app, surrogate, unnest(carried), "position";
  UPDATE log.erasure l SET position = entry.positions[1]
  WHERE (l.app_id, l.bucket, l.key) = (known.app_id, known.bucket, known.key);
END $$;
