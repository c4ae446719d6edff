-- projection: extension
-- with: push_result

CREATE OR REPLACE FUNCTION extension_apply(after bigint, upto bigint) RETURNS void
LANGUAGE sql SET jit = off AS $$
  INSERT INTO notification_extension
  SELECT app_id, device_id, notification_id, coalesce(occurrence, '-infinity'), effective_at, id,
    data#>>'{extension,outcome}', (data#>>'{extension,duration_ms}')::integer,
    (data#>>'{extension,attachments_loaded}')::integer, (data#>>'{extension,attachments_failed}')::integer
  FROM projection.batch(after, upto)
  WHERE kind = 'delivery' AND data->>'source' = 'service_extension'
    AND notification_id IS NOT NULL AND device_id <> ''
$$;
