-- projection: authorization
-- with: push_result

CREATE OR REPLACE FUNCTION authorization_apply(after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql SET jit = off AS $$
BEGIN
  INSERT INTO authorization_request
  SELECT app_id, device_id, effective_at, id,
    (SELECT coalesce(string_agg(option, ',' ORDER BY ordinal), '')
      FROM jsonb_array_elements_text(data->'options') WITH ORDINALITY AS o (option, ordinal)
      HAVING data ? 'options'),
    (data->>'granted')::boolean, data->>'error',
    (data->'context') - '{device_model,sdk_version}'::text[]
  FROM projection.batch(after, upto)
  WHERE kind = 'authorization_request' AND device_id <> '';

  INSERT INTO open_settings
  SELECT app_id, device_id, effective_at, id
  FROM projection.batch(after, upto)
  WHERE kind = 'open_settings' AND device_id <> '';
END $$;
