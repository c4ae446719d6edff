-- projection: category
-- with: notification

-- What of a definition other projections use; the words of its buttons may differ from device to device.
CREATE OR REPLACE FUNCTION category_behaviour(definition jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_array(coalesce(definition->'options' ? 'custom_dismiss_action', false), (
    SELECT jsonb_agg(jsonb_build_array(a->>'id', a->>'type' = 'text_input', coalesce(a->'options' ? 'foreground', false)) ORDER BY ordinal)
    FROM jsonb_array_elements(definition->'actions') WITH ORDINALITY AS x (a, ordinal)));
$$;

-- What an app version registered of a button; where it never registered the category, what any version did.
CREATE OR REPLACE FUNCTION registered_action(
  app integer, category text, action text, version text, OUT text_input boolean, OUT foreground boolean)
LANGUAGE sql STABLE AS $$
  SELECT bool_or(a.text_input), bool_or(a.foreground)
  FROM category_action a
  WHERE (a.app_id, a.category_id, a.action_id) = (app, category, action)
    AND (a.app_version = version OR NOT EXISTS (
      SELECT FROM category c WHERE (c.app_id, c.category_id, c.app_version) = (app, category, version)))
$$;

-- Puts the categories whose behaviour changed into category_change, for the next walk of the app.
CREATE OR REPLACE FUNCTION category_apply(after bigint, upto bigint) RETURNS void
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
      SELECT * FROM projection.batch(after, upto) WHERE kind = 'category_registration'
      UNION ALL
      SELECT * FROM log.erased_registrations(after, upto)
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
        AND category_behaviour(b.definition) <> category_behaviour(c.definition))
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
