-- As today, but that registrations alike are taken apart once.
CREATE FUNCTION category_apply(after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql SET client_min_messages = warning SET jit = off AS $$
BEGIN
  CREATE TEMP TABLE IF NOT EXISTS category_batch (LIKE category) ON COMMIT DELETE ROWS;
  IF EXISTS (SELECT FROM category_batch) THEN
    TRUNCATE category_batch;
  END IF;

  INSERT INTO category_batch
  SELECT DISTINCT ON (app_id, category_id, app_version) app_id, app_version, category_id, at, device_id, id,
    min(at) OVER (PARTITION BY app_id, category_id, app_version),
    coalesce(definition->'options' ? 'custom_dismiss_action', false), definition
  FROM (
    SELECT e.app_id, coalesce(e.data#>>'{context,app_version}', '') COLLATE "C" AS app_version,
      (c.definition->>'id') COLLATE "C" AS category_id, e.effective_at AS at, e.device_id, e.id, c.definition, c.ordinal
    FROM (
      -- What is registered word by word alike is taken apart once: as of its newest registration, and of its earliest time.
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
    ) e, jsonb_array_elements(e.data->'categories') WITH ORDINALITY AS c (definition, ordinal)
  ) registration
  ORDER BY app_id, category_id, app_version, at DESC, device_id DESC, id DESC, ordinal DESC;

  -- One set aside earlier and applied now lies before what the version has claimed: it holds back from here on.
  WITH change AS (
    INSERT INTO category_change
    SELECT DISTINCT b.app_id, b.category_id, coalesce(w.number + 1, 1)
    FROM category_batch b
    LEFT JOIN category c USING (app_id, category_id, app_version)
    LEFT JOIN category_walk w ON w.app_id = b.app_id
    WHERE c.app_id IS NULL
      OR ((b.registered_at, b.device_id, b.id) > (c.registered_at, c.device_id, c.id)
        AND projection.category_behaviour(b.definition) <> projection.category_behaviour(c.definition))
    ON CONFLICT DO NOTHING
    RETURNING app_id
  )
  INSERT INTO category_walk AS w
  SELECT DISTINCT app_id, 1, coalesce(nullif(current_setting('notilog.applied', true), '')::bigint, after), NULL::bigint, 0, '', '',
    timestamptz '-infinity', false
  FROM change
  ON CONFLICT (app_id) DO UPDATE SET next_after = least(w.next_after, excluded.after_position);

  INSERT INTO category AS c
  TABLE category_batch
  ON CONFLICT (app_id, category_id, app_version) DO UPDATE SET
    first_at = least(c.first_at, excluded.first_at),
    (registered_at, device_id, id, custom_dismiss, definition) = (
      SELECT CASE WHEN newer THEN excluded.registered_at ELSE c.registered_at END,
        CASE WHEN newer THEN excluded.device_id ELSE c.device_id END,
        CASE WHEN newer THEN excluded.id ELSE c.id END,
        CASE WHEN newer THEN excluded.custom_dismiss ELSE c.custom_dismiss END,
        CASE WHEN newer THEN excluded.definition ELSE c.definition END
      FROM (SELECT (excluded.registered_at, excluded.device_id, excluded.id) > (c.registered_at, c.device_id, c.id) AS newer) n);
END $$;
