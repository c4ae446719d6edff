-- projection: notification_ending

-- A claim: the rank of an event in the tie order of its device; then what it says.
CREATE OR REPLACE FUNCTION place(stage integer, at timestamptz, id uuid) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT set_byte('\x00', 0, stage) || timestamptz_send(at) || uuid_send(id) $$;

-- Stable, as convert_from is: claimed to be more, it would be called and not taken into the query around it.
CREATE OR REPLACE FUNCTION claimed(claim bytea) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT convert_from(substr(claim, 26), 'UTF8') $$;

CREATE OR REPLACE FUNCTION notification_ending_apply(after bigint, upto bigint) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO notification_ending AS o
  SELECT app_id, device_id, notification_id, occurrence,
    (array_agg(place || textsend(rejection) ORDER BY place DESC) FILTER (WHERE rejection IS NOT NULL))[1],
    (array_agg(place || textsend(error) ORDER BY place DESC) FILTER (WHERE error IS NOT NULL))[1],
    min(at) FILTER (WHERE removed), min(at) FILTER (WHERE gone)
  FROM (
    SELECT app_id, device_id, notification_id, coalesce(occurrence, '-infinity') AS occurrence, effective_at AS at,
      place(0, effective_at, id) AS place,
      CASE WHEN kind = 'push_result' THEN
        -- As in device_token: through FCM, APNs' answer behind it counts.
        CASE WHEN coalesce(push_verdict(data->>'provider', data->>'status', data->>'reason'),
            CASE WHEN data->>'provider' = 'fcm' THEN
              push_verdict('apns', data#>>'{attributes,apns_status}', data#>>'{attributes,apns_reason}') END) = 'dead'
          THEN 'dead_token'
          ELSE 'rejected: ' || coalesce(data->>'reason', data->>'status', 'unknown') END
      END AS rejection,
      CASE WHEN kind = 'request' THEN data->>'error' END AS error,
      kind = 'removal' AND data->>'reason' IS DISTINCT FROM 'gone' AS removed,
      kind = 'removal' AND data->>'reason' = 'gone' AS gone
    FROM projection.batch(after, upto)
    WHERE notification_id IS NOT NULL AND device_id <> ''
      AND CASE kind
        WHEN 'push_result' THEN data->>'status' IS DISTINCT FROM '200'
        WHEN 'request' THEN data ? 'error' AND data#>>'{trigger,repeats}' IS DISTINCT FROM 'true'
        WHEN 'removal' THEN data->>'state' = 'delivered' AND data->>'reason' IS DISTINCT FROM 'replaced'
      END
  ) event
  GROUP BY app_id, device_id, notification_id, occurrence
  ON CONFLICT (app_id, device_id, notification_id, occurrence) DO UPDATE SET
    last_rejection = greatest(o.last_rejection, excluded.last_rejection),
    last_error = greatest(o.last_error, excluded.last_error),
    removed_at = least(o.removed_at, excluded.removed_at),
    gone_at = least(o.gone_at, excluded.gone_at)
$$;
