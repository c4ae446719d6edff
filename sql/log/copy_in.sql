-- Stores copies of events of another cell, each once, and returns the position that projections have to reach to have them. Those of a
-- device or token that was erased here are left out. Like an append it passes the epoch barrier (log.enter_epoch), so that projections miss none.
-- A closed log takes none (NL409).
--
--   events   an array of what log.copied_event returns
--   source   the number of the cell
CREATE OR REPLACE FUNCTION log.copy_in(events jsonb, source smallint) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  state   log.state := log.enter_epoch();
  refused bigint[];
  last    bigint;
BEGIN
  PERFORM log.refuse_closed(state);
  SELECT log.erased_ordinals(array_agg(e.app_id ORDER BY n), array_agg(e.kind ORDER BY n), array_agg(e.device_id ORDER BY n),
    array_agg(e.token ORDER BY n))
  INTO refused
  FROM ROWS FROM (jsonb_to_recordset(events) AS (app_id integer, kind text, device_id text, token bytea)) WITH ORDINALITY AS e (app_id, kind, device_id, token, n);
  WITH stored AS (
    INSERT INTO log.copy (position, received_at, occurred_at, effective_at, sent_at, occurrence, id, app_id, utc_offset,
      schema_version, time_clamped, kind, device_id, notification_id, token, data, cell)
    SELECT nextval('log.position'), e.received_at, e.occurred_at, e.effective_at, e.sent_at, e.occurrence, e.id, e.app_id,
      e.utc_offset, e.schema_version, e.time_clamped, e.kind, e.device_id, NULL, e.token, e.data, source
    FROM (
      SELECT (jsonb_populate_record(NULL::log.event, event)).*, n
      FROM jsonb_array_elements(events) WITH ORDINALITY AS a (event, n)
      ORDER BY a.event->>'id', a.event->>'device_id', n
    ) e
    WHERE e.n <> ALL (coalesce(refused, '{}')) AND log.event_lane(e.device_id, e.token, e.id) <> ALL (state.lanes)
      AND e.received_at >= state.floor
      -- Not by ON CONFLICT alone, which draws a position for each that is there.
      AND NOT EXISTS (SELECT FROM log.copy c WHERE (c.app_id, c.id, c.device_id) = (e.app_id, e.id, e.device_id))
    ON CONFLICT DO NOTHING
    RETURNING position
  )
  SELECT max(s.position) INTO last FROM stored s;
  -- What was there already may have a position up to the last one.
  RETURN coalesce(last, log.drawn_position());
END $$;
