-- projection: category
-- with: notification

-- What of a definition other projections use; the words of its buttons may differ from device to device.
CREATE OR REPLACE FUNCTION category_behaviour(definition jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_array(coalesce(definition->'options' ? 'custom_dismiss_action', false), (
    SELECT jsonb_agg(jsonb_build_array(a->>'id', a->>'type' = 'text_input', coalesce(a->'options' ? 'foreground', false)) ORDER BY ordinal)
    FROM jsonb_array_elements(definition->'actions') WITH ORDINALITY AS x (a, ordinal)));
$$;

-- Registered categories, each in all its versions.
CREATE OR REPLACE FUNCTION category_known(apps integer[], categories text[])
RETURNS TABLE (app_id integer, category_id text, app_version text, registered_at timestamptz, device_id text, id uuid,
  first_at timestamptz, definition jsonb)
LANGUAGE sql STABLE AS $$
  SELECT c.app_id, c.category_id, c.app_version, c.registered_at, c.device_id, c.id, c.first_at, c.definition
  FROM (SELECT unnest(apps) AS app, unnest(categories) AS category) k
  CROSS JOIN LATERAL (
    SELECT * FROM category c WHERE (c.app_id, c.category_id) = (k.app, k.category) OFFSET 0
  ) c
$$;

-- Puts categories whose behaviour a batch changed into category_change, for the next walk of the app.
CREATE OR REPLACE FUNCTION category_changed(apps integer[], categories text[], after bigint) RETURNS void
LANGUAGE sql AS $$
  -- One set aside earlier and applied now lies before what the version has claimed: it holds back from here on.
  WITH change AS (
    INSERT INTO category_change
    SELECT k.app, k.category, coalesce(w.number + 1, 1)
    FROM (SELECT unnest(apps) AS app, unnest(categories) AS category) k
    LEFT JOIN category_walk w ON w.app_id = k.app
    ON CONFLICT DO NOTHING
    RETURNING app_id
  )
  INSERT INTO category_walk AS w
  SELECT DISTINCT app_id, 1, coalesce(nullif(current_setting('notilog.applied', true), '')::bigint, after), NULL::bigint, 0, '', '',
    timestamptz '-infinity', false
  FROM change
  ON CONFLICT (app_id) DO UPDATE SET next_after = least(w.next_after, excluded.after_position)
$$;
