-- Appends one batch of events, each stored once, in one transaction of one round trip.
--
-- Each argument is an array with one element an event, in any order; of datas and data_texts one has the event's other fields, and the
-- other has null. Services of earlier releases give no texts. Gives, in the order of the input:
--   status    0 stored; 1 duplicate (same id, same content); 2 conflict (same id, other content: nothing stored);
--             3 refused, as its device was erased; 4 refused, as it is older than what retention has dropped
--   position  the event's position in the log; for a duplicate or a conflict, that of the first one; null where
--             it was refused
--
-- Passes the epoch barrier (log.enter_epoch) before it draws positions. A cell refuses events of lanes that are elsewhere (NL409): who
-- sends them has an older list of the cells. So does a log that is closed, as another database takes over.
--
-- Runs as the log's owner: nobody else may INSERT, so that there is no way past the barrier.
CREATE OR REPLACE FUNCTION log.append(
  app_ids integer[], ids uuid[], digests uuid[], kinds text[], device_ids text[],
  received_ats timestamptz[], occurred_ats timestamptz[], effective_ats timestamptz[], sent_ats timestamptz[],
  occurrences timestamptz[], utc_offsets smallint[], schema_versions smallint[], time_clampeds boolean[],
  notification_ids text[], tokens bytea[], datas jsonb[], data_texts text[] DEFAULT NULL,
  OUT positions bigint[], OUT statuses smallint[]
)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  state      log.state := log.enter_epoch();
  stored     integer;
  found      bigint[];
  refused    bigint[];
  reason     smallint;
  is_kept    boolean[];
  kept       integer[];
  taken      record;
BEGIN
  IF state.closed THEN
    PERFORM log.refuse_closed(state);
  ELSIF cardinality(state.lanes) < 8 AND EXISTS (
    SELECT FROM unnest(device_ids, tokens, ids) AS i (device_id, token, id)
    WHERE log.event_lane(device_id, token, id) <> ALL (state.lanes))
  THEN
    RAISE EXCEPTION 'events of these devices are in another cell' USING ERRCODE = 'NL409';
  END IF;
  -- Under that lock: an erasure waits, once its device is in the ledger, for the appends that did not see it there, and
  -- retention, once it has raised the floor.
  refused := log.erased_ordinals(app_ids, kinds, device_ids, tokens);
  reason := 3;
  IF refused IS NULL AND state.floor > '-infinity' THEN
    SELECT array_agg(ordinal) INTO refused
    FROM unnest(received_ats, occurred_ats, effective_ats) WITH ORDINALITY
      AS i (received_at, occurred_at, effective_at, ordinal)
    WHERE least(received_at, occurred_at, effective_at) < state.floor;
    reason := 4;
  END IF;
  IF refused IS NOT NULL THEN   -- the others are appended alone
    positions := array_fill(NULL::bigint, ARRAY[cardinality(ids)]);
    statuses := array_fill(reason, ARRAY[cardinality(ids)]);
    SELECT array_agg(n <> ALL (refused) ORDER BY n), array_agg(n ORDER BY n) FILTER (WHERE n <> ALL (refused)) INTO is_kept, kept
    FROM generate_series(1, cardinality(ids)) AS n;
    IF kept IS NULL THEN
      RETURN;
    END IF;
    taken := log.append(log.elements(app_ids, is_kept), log.elements(ids, is_kept), log.elements(digests, is_kept),
      log.elements(kinds, is_kept), log.elements(device_ids, is_kept), log.elements(received_ats, is_kept),
      log.elements(occurred_ats, is_kept), log.elements(effective_ats, is_kept), log.elements(sent_ats, is_kept),
      log.elements(occurrences, is_kept), log.elements(utc_offsets, is_kept), log.elements(schema_versions, is_kept),
      log.elements(time_clampeds, is_kept), log.elements(notification_ids, is_kept), log.elements(tokens, is_kept),
      log.elements(datas, is_kept), log.elements(data_texts, is_kept));
    FOR n IN 1 .. cardinality(kept) LOOP
      positions[kept[n]] := taken.positions[n];
      statuses[kept[n]] := taken.statuses[n];
    END LOOP;
    RETURN;
  END IF;

  SELECT array_agg(nextval('log.position')) INTO positions FROM generate_series(1, cardinality(ids));

  -- In key order, so that two batches with the same keys cannot wait for each other. Nearly always none was there before:
  -- so first without ON CONFLICT, which looks at the index twice and writes a second WAL record a row.
  BEGIN
    INSERT INTO log.identity (id, digest, device_hash, position, app_id)
    SELECT id, digest, hashtextextended(device_id, 0) AS device_hash, position, app_id
    FROM (SELECT unnest(ids), unnest(digests), unnest(device_ids), unnest(positions), unnest(app_ids))
      AS i (id, digest, device_id, position, app_id)
    ORDER BY id, device_hash, app_id, position;
    stored := cardinality(ids);
  EXCEPTION WHEN unique_violation THEN
    INSERT INTO log.identity (id, digest, device_hash, position, app_id)
    SELECT id, digest, hashtextextended(device_id, 0) AS device_hash, position, app_id
    FROM (SELECT unnest(ids), unnest(digests), unnest(device_ids), unnest(positions), unnest(app_ids))
      AS i (id, digest, device_id, position, app_id)
    ORDER BY id, device_hash, app_id, position
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS stored = ROW_COUNT;
  END;

  IF stored = cardinality(ids) THEN
    statuses := array_fill(0::smallint, ARRAY[stored]);
    -- Unnested side by side in the list itself: in FROM each array would be written down row by row first.
    INSERT INTO log.event (position, received_at, occurred_at, effective_at, sent_at, occurrence, id, app_id,
      utc_offset, schema_version, time_clamped, kind, device_id, notification_id, token, data, data_text)
    SELECT unnest(positions), unnest(received_ats), unnest(occurred_ats), unnest(effective_ats), unnest(sent_ats),
      unnest(occurrences), unnest(ids), unnest(app_ids), unnest(utc_offsets), unnest(schema_versions),
      unnest(time_clampeds), unnest(kinds), unnest(device_ids), unnest(notification_ids), unnest(tokens), unnest(datas),
      unnest(data_texts);
    RETURN;
  END IF;

  -- Some were there before: under another position than the one drawn for them now. A new statement, so that what a
  -- concurrent transaction stored first is seen.
  SELECT array_agg(f.position ORDER BY i.ordinal),
    array_agg((CASE WHEN f.position = i.position THEN 0 WHEN f.digest = i.digest THEN 1 ELSE 2 END)::smallint
      ORDER BY i.ordinal)
  INTO found, statuses
  FROM unnest(app_ids, ids, digests, device_ids, positions) WITH ORDINALITY
    AS i (app_id, id, digest, device_id, position, ordinal)
  LEFT JOIN log.identity f
    ON (f.id, f.device_hash, f.app_id) = (i.id, hashtextextended(i.device_id, 0), i.app_id);
  positions := found;

  INSERT INTO log.event (position, received_at, occurred_at, effective_at, sent_at, occurrence, id, app_id,
    utc_offset, schema_version, time_clamped, kind, device_id, notification_id, token, data, data_text)
  SELECT position, received_at, occurred_at, effective_at, sent_at, occurrence, id, app_id,
    utc_offset, schema_version, time_clamped, kind, device_id, notification_id, token, data, data_text
  FROM unnest(statuses, positions, received_ats, occurred_ats, effective_ats, sent_ats, occurrences, ids, app_ids,
    utc_offsets, schema_versions, time_clampeds, kinds, device_ids, notification_ids, tokens, datas, data_texts) AS i (
    status, position, received_at, occurred_at, effective_at, sent_at, occurrence, id, app_id,
    utc_offset, schema_version, time_clamped, kind, device_id, notification_id, token, data, data_text)
  WHERE status = 0;
END $$;
