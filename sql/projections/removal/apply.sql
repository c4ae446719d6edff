-- projection: removal
-- with: push_result

CREATE OR REPLACE FUNCTION removal_apply(after bigint, upto bigint) RETURNS void
LANGUAGE sql SET jit = off AS $$
  INSERT INTO notification_removal AS r
  SELECT app_id, device_id, notification_id, coalesce(occurrence, '-infinity') AS occurrence,
    coalesce(data->>'state', '') AS state, coalesce(data->>'reason', '') AS reason, min(effective_at)
  FROM projection.batch(after, upto)
  WHERE kind = 'removal' AND notification_id IS NOT NULL AND device_id <> ''
  GROUP BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (app_id, device_id, notification_id, occurrence, state, reason) DO UPDATE SET first_at = excluded.first_at
  WHERE excluded.first_at < r.first_at
$$;
