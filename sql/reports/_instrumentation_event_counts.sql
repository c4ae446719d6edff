-- Events of the devices sampled, in arrays by what they have in common: what the report instrumentation counts of the log.
--
-- `parts`, sides, slots and `limit` are those of reporting.instrumentation_device_counts. The devices sampled on each version are
-- given with their numbers: in the order of these they are read, until there are `event_limit` events here. `devices` are these
-- numbers, one an event. Where the events are older than the window, `lates` is how long after each the server received it and,
-- of taps, `ages` how old the newest settings were, in microseconds.
--
-- The row without a key has each device that was read once, and as `events` how many the log has of it, at most 10,001: which
-- devices are beyond the bound is known only of all databases.
CREATE OR REPLACE FUNCTION reporting.instrumentation_event_counts(
  app_number integer, from_at timestamptz, to_at timestamptz, mature_to timestamptz, near interval, filters jsonb, "limit" integer,
  parts jsonb, starts timestamptz[], since timestamptz, sample_versions text[], sample_device_ids text[], sample_devices integer[],
  event_limit bigint)
RETURNS TABLE (
  key integer, side integer, slot integer, kind text, sdk_version text, time_clamped boolean, is_tap boolean, is_old boolean,
  devices integer[], lates bigint[], ages bigint[], events bigint[])
LANGUAGE plpgsql STABLE ROWS 100 SET jit = off SET enable_nestloop = off SET enable_mergejoin = off SET enable_sort = off SET work_mem = '64MB' AS $$
BEGIN
  RETURN QUERY EXECUTE $query$
    WITH part AS MATERIALIZED (
      SELECT key, version COLLATE "C" AS version, side, shift
      FROM jsonb_to_recordset($8) AS p (key integer, version text, side integer, shift interval)
    ), sampled AS MATERIALIZED (
      SELECT * FROM unnest($11, $12, $13) AS s (version, device_id, device)
    ), read AS MATERIALIZED (   -- the events that the log has of them, device by device, as far as the bound goes
      SELECT d.device, e.events, e.kind, e.effective_at, e.received_at, e.time_clamped,
        e.kind = 'action_response' AND e.data->>'action_id' = 'default' AS is_tap,
        e.context->>'app_version' AS version, e.context->>'sdk_version' AS sdk_version,
        e.kind NOT IN ('push_result', 'holdout') AND (e.kind = 'request' AND e.data->>'origin' = 'provider') IS NOT TRUE
          AND reporting.matches(coalesce(e.context->>'platform', ''), $6, 'platform')
          AND reporting.matches(coalesce(e.context->>'os_version', ''), $6, 'os_version')
          AND reporting.matches(coalesce(e.context->>'locale', ''), $6, 'locale') AS is_counted
      FROM (SELECT DISTINCT device, device_id FROM sampled ORDER BY device) d
      CROSS JOIN LATERAL (
        SELECT *, data->'context' AS context, count(*) OVER () AS events
        FROM (
          SELECT e.kind, e.effective_at, e.received_at, e.time_clamped,
            CASE WHEN e.received_at <= e.effective_at + $5 AND e.kind NOT IN ('push_result', 'holdout') THEN e.data END AS data   -- all are counted, these are read
          FROM log.upcast_event e
          WHERE e.app_id = $1 AND e.device_id = d.device_id AND e.received_at >= $10 AND e.received_at < $3 + $5
          LIMIT 10001
        ) e
      ) e
      LIMIT $14
    ), told AS MATERIALIZED (
      SELECT *
      FROM read
      WHERE events <= 10000 AND received_at <= effective_at + $5
        AND device NOT IN (   -- at whose events the bound was met
          SELECT device FROM read GROUP BY device HAVING count(*) < max(events))
    ), aged AS (   -- taps, and the newest settings before each: only these and settings are sorted
      SELECT *
      FROM (
        SELECT *, max(effective_at) FILTER (WHERE kind = 'settings') OVER (
          PARTITION BY device ORDER BY effective_at + CASE WHEN is_tap THEN interval '10 seconds' ELSE interval '0' END) AS settings_at
        FROM told
        WHERE is_tap OR kind = 'settings'
      ) e
      WHERE is_tap
    )
    SELECT key, side, slot, kind, sdk_version, time_clamped, is_tap, is_old, array_agg(device), array_agg(late) FILTER (WHERE is_old),
      array_agg(age) FILTER (WHERE is_old AND is_tap), NULL::bigint[]
    FROM (
      SELECT p.key, p.side, width_bucket(e.effective_at + p.shift, $9) AS slot, device, e.kind, e.sdk_version,
        e.time_clamped, e.is_tap, e.effective_at + p.shift < $4 AS is_old,
        (greatest(extract(epoch FROM e.received_at - e.effective_at), 0) * 1000000)::bigint AS late,
        CASE WHEN e.is_tap AND e.settings_at >= e.effective_at - interval '720 hours'
          THEN (greatest(extract(epoch FROM e.effective_at - e.settings_at), 0) * 1000000)::bigint
          ELSE 9223372036854775807 END AS age   -- beyond all, where there are none
      FROM (
        SELECT * FROM aged
        UNION ALL
        SELECT *, NULL FROM told WHERE is_tap IS NOT TRUE
      ) e
      JOIN (SELECT version, device FROM sampled) s USING (version, device)
      JOIN part p USING (version)
      WHERE p.key <= $7 AND e.is_counted AND e.effective_at + p.shift >= $2 AND e.effective_at + p.shift < $3
    ) e
    GROUP BY key, side, slot, kind, sdk_version, time_clamped, is_tap, is_old
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, array_agg(device), NULL, NULL, array_agg(events)
    FROM (SELECT device, max(events) AS events FROM read GROUP BY device) r
  $query$
  USING app_number, from_at, to_at, mature_to, near, filters, "limit", parts, starts, since, sample_versions, sample_device_ids,
    sample_devices, event_limit;
END $$;
