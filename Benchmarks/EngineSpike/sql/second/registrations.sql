-- The registrations of a batch for today's category_apply: those word by word alike are taken apart once, as of the newest of them and of the
-- earliest time.
CREATE FUNCTION registrations(after bigint, upto bigint) RETURNS TABLE (app_id integer, data jsonb, effective_at timestamptz, device_id text, id uuid)
LANGUAGE sql STABLE AS $$
  SELECT g.app_id, g.data, x.effective_at, x.device_id, x.id
  FROM (
    SELECT app_id, jsonb_build_object('context', jsonb_build_object('app_version', data#>>'{context,app_version}'), 'categories', data->'categories') AS data,
      min(effective_at) AS first_at, max(effective_at) AS last_at,
      max(encode(timestamptz_send(effective_at), 'hex') || device_id || chr(1) || id::text COLLATE "C") AS newest
    FROM projection.batch(after, upto) WHERE kind = 'category_registration'
    GROUP BY 1, 2
  ) g
  CROSS JOIN LATERAL (VALUES (g.first_at, '', '00000000-0000-0000-0000-000000000000'::uuid),
    (g.last_at, split_part(substr(newest, 17), chr(1), 1), split_part(substr(newest, 17), chr(1), 2)::uuid)) x (effective_at, device_id, id)
$$;
