-- The raw events of bench.base as an analyst would load them: one column for each field that a report asks for. Times that a device
-- told of are shifted as its clock was wrong, as `effective_at` is.
COPY (
  SELECT kind, device_id, coalesce(notification_id, '') AS notification_id, occurrence, effective_at, received_at,
    left(encode(token, 'hex'), 32)::uuid AS token,
    data->>'category_id' AS category, data#>>'{trigger,type}' AS trigger,
    coalesce(data#>>'{trigger,repeats}' = 'true', false) AS repeats, data->>'campaign_id' AS campaign, data->>'variant' AS variant,
    (data->>'delivered_at')::timestamptz + shift AS delivered_at, (data->>'scheduled_for')::timestamptz + shift AS scheduled_for,
    coalesce(data->>'alerting' <> 'false', true) AS alerting, data->>'error' AS error, data->>'origin' AS origin,
    coalesce(data->>'mutable_content' = 'true', false) AS mutable_content, data->>'source' AS source,
    data#>>'{extension,outcome}' AS outcome, (data#>>'{extension,duration_ms}')::integer AS duration_ms,
    data->>'surface' AS surface, data->'options' ?| '{alert,list,banner}' AS has_alert, data->'options' ?| '{badge,sound}' AS has_sound,
    data->>'action_id' AS action_id, data->>'delegate' AS delegate, data ? 'text_length' AS has_text,
    (data->>'status')::integer AS status, data->>'reason' AS reason, data->>'provider' AS provider, data->>'type' AS type,
    data->>'topic' AS topic, coalesce(data->>'environment', data#>>'{push,environment}') AS environment, data->>'state' AS state,
    to_timestamp((data->>'timestamp')::double precision / 1000) AS dead_at,
    data#>>'{context,platform}' AS platform, data#>>'{context,os_version}' AS os_version,
    data#>>'{context,app_version}' AS app_version, data#>>'{context,locale}' AS locale, data#>>'{context,time_zone}' AS time_zone,
    data ? 'context' AS has_context,
    data->>'authorization_status' AS authorization_status, data->>'alert' AS alert,
    CASE WHEN kind = 'settings' THEN data->>'sound' END AS sound, CASE WHEN kind = 'settings' THEN data->>'badge' END AS badge,
    data->>'lock_screen' AS lock_screen, data->>'notification_center' AS notification_center,
    data->>'time_sensitive' AS time_sensitive, data->>'scheduled_delivery' AS scheduled_delivery,
    data->>'alert_style' AS alert_style, data->>'interruption_level' AS interruption_level, data->>'name' AS conversion,
    data->>'order_id' AS order_id, (data->>'value')::bigint AS money, (data->>'share')::double precision AS share,
    data->>'activity_id' AS activity_id, data->>'attributes_type' AS attributes_type, data->>'started_by' AS started_by,
    data->>'updates_by' AS updates_by, data->>'live_activity_event' AS activity_event,
    data->>'status_before' AS status_before, (data->>'granted')::boolean AS granted,
    CASE WHEN kind = 'authorization_request' THEN (SELECT string_agg(o, ',') FROM jsonb_array_elements_text(data->'options') AS o) END AS asked,
    CASE WHEN kind = 'category_registration' THEN data->>'categories' END AS categories
  FROM (   -- OFFSET keeps it to one parse an event
    SELECT kind, device_id, notification_id, occurrence, effective_at, received_at, token, effective_at - occurred_at AS shift,
      coalesce(data, data_text::jsonb) AS data
    FROM bench.base OFFSET 0
  ) base
) TO STDOUT (FORMAT csv, HEADER)
