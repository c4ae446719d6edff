-- What the batch says of each notification: no sort, as the least of texts is the first by claim; groups are found by hash.
CREATE FUNCTION notification_facts(after bigint, upto bigint) RETURNS notification_said[]
LANGUAGE sql STABLE SET enable_sort = off AS $$
  SELECT array_agg(f::notification_said) FROM (
    SELECT app_id, device_id, notification_id, occurrence,
      min(at) FILTER (WHERE stage = 0), min(scheduled_for), min(delivered_at), min(at) FILTER (WHERE stage = 1),
      min(at) FILTER (WHERE stage = 1 AND said & 4096 = 0), min(at) FILTER (WHERE stage = 2), min(at) FILTER (WHERE stage = 3),
      min(at) FILTER (WHERE stage = 4), min(at) FILTER (WHERE withdraws), min(received_at) FILTER (WHERE stage = 0),
      (count(*) FILTER (WHERE stage = 0))::integer, bit_or(said) & 4095,
      min(place || action COLLATE "C"), min(place || alerting COLLATE "C"), min(CASE stage WHEN 0 THEN place || category END COLLATE "C"),
      min(CASE stage WHEN 3 THEN '0' WHEN 4 THEN '1' WHEN 2 THEN '2' WHEN 1 THEN '3' ELSE '4' END || substr(place, 2) || category COLLATE "C"),
      min(place || trigger COLLATE "C"), min(place || interruption_level COLLATE "C"), min(place || campaign COLLATE "C"),
      min(place || variant COLLATE "C"), min(place || thread COLLATE "C")
    FROM (
      SELECT app_id, device_id, notification_id, stage, at, received_at, has_error,
        CASE WHEN stage = 0 AND data->'trigger'->>'repeats' = 'true' THEN 'infinity' ELSE coalesce(occurrence, '-infinity') END AS occurrence,
        CASE WHEN stage < 5 THEN stage || encode(timestamptz_send(at), 'hex') || encode(uuid_send(id), 'hex') END AS place,
        CASE WHEN stage < 5 THEN data->>'category_id' END AS category,
        CASE WHEN stage < 5 THEN coalesce(trigger, CASE WHEN stage = 0 AND has_push THEN 'push' END) END AS trigger,
        CASE WHEN stage < 5 THEN data->>'interruption_level' END AS interruption_level, CASE WHEN stage < 5 THEN data->>'campaign_id' END AS campaign,
        CASE WHEN stage < 5 THEN data->>'variant' END AS variant, CASE WHEN stage < 5 THEN data->>'thread_id' END AS thread,
        CASE WHEN stage > 0 THEN projection.shifted((data->>'delivered_at')::timestamptz, occurred_at, at) END AS delivered_at,
        scheduled_for, CASE stage WHEN 3 THEN data->>'action_id' END AS action,
        CASE stage WHEN 0 THEN CASE WHEN has_push AND data#>>'{push,push_type}' <> 'alert' THEN 'false' ELSE coalesce(data->>'alerting', 'true') END
          WHEN 1 THEN data->>'alerting' END AS alerting,
        kind = 'removal' AND data->>'state' = 'pending' AND data->>'reason' IS DISTINCT FROM 'replaced' AS withdraws,
        CASE stage
          WHEN 0 THEN is_push::integer | (CASE WHEN has_error THEN 4 ELSE 2 END) | CASE WHEN data->>'mutable_content' = 'true' THEN 512 ELSE 0 END
            | CASE WHEN NOT has_error AND (is_push OR scheduled_for IS NOT NULL OR coalesce(trigger NOT IN ('calendar', 'location'), true)) THEN 1024 ELSE 0 END
          WHEN 1 THEN CASE data->>'source' WHEN 'background_wake' THEN 0 WHEN 'delivered_list' THEN 2048 | 4096 ELSE 2048 END
            | CASE WHEN data->'extension'->>'outcome' = 'filtered' THEN 256 ELSE 0 END
          WHEN 2 THEN 2048 | CASE WHEN data->>'surface' <> 'foreground' OR data->'options' ?| '{alert,list,banner}' THEN 32
            WHEN data->'options' ?| '{badge,sound}' THEN 64 | 128 WHEN data ? 'options' THEN 64 ELSE 0 END
          WHEN 5 THEN CASE WHEN kind <> 'push_result' THEN 0 WHEN data->>'status' = '200' THEN 8 | 16 ELSE 8 END
          ELSE 0
        END AS said
      FROM (
        SELECT *, CASE stage WHEN 0 THEN coalesce(trigger = 'push' OR data->>'origin' = 'provider', false) OR has_push END AS is_push,
          CASE stage WHEN 0 THEN projection.shifted((data->>'scheduled_for')::timestamptz, occurred_at, at) END AS scheduled_for
        FROM (
          SELECT app_id, device_id, notification_id, kind, stage, occurrence, id, data, received_at, occurred_at, effective_at AS at,
            CASE WHEN stage < 5 THEN data->'trigger'->>'type' END AS trigger, stage = 0 AND data ? 'push' AS has_push,
            stage = 0 AND data ? 'error' AS has_error
          FROM (
            SELECT *, CASE kind WHEN 'request' THEN 0 WHEN 'delivery' THEN 1 WHEN 'presentation' THEN 2 WHEN 'action_response' THEN 3
              WHEN 'dismissal' THEN 4 WHEN 'removal' THEN 5 WHEN 'push_result' THEN 5 END AS stage
            FROM projection.batch(after, upto)
            WHERE notification_id IS NOT NULL AND device_id <> ''
          ) e
          WHERE stage IS NOT NULL
          OFFSET 0
        ) e
        OFFSET 0
      ) e
      OFFSET 0
    ) e
    GROUP BY app_id, device_id, notification_id, occurrence
  ) f
$$;
