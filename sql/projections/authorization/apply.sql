-- projection: authorization
-- with: push_result

CREATE OR REPLACE FUNCTION authorization_apply(after bigint, upto bigint) RETURNS void
LANGUAGE sql SET jit = off AS $$
  WITH event AS MATERIALIZED (
    SELECT kind, app_id, device_id, effective_at AS at, id, data
    FROM projection.batch(after, upto)
    WHERE kind IN ('authorization_request', 'open_settings') AND device_id <> ''
  ), looked AS (
    INSERT INTO open_settings
    SELECT app_id, device_id, at, id FROM event WHERE kind = 'open_settings'
  )
  INSERT INTO authorization_request
  SELECT app_id, device_id, at, id,
    (SELECT coalesce(string_agg(option, ',' ORDER BY ordinal), '')
      FROM jsonb_array_elements_text(data->'options') WITH ORDINALITY AS o (option, ordinal)
      HAVING data ? 'options'),
    (data->>'granted')::boolean, data->>'error', data->>'status_before',
    (data->'context') - '{device_model,sdk_version}'::text[]
  FROM event
  WHERE kind = 'authorization_request';
$$;
