-- projection: category
-- with: notification

-- What of a definition other projections use; the words of its buttons may differ from device to device.
CREATE OR REPLACE FUNCTION category_behaviour(definition jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_array(coalesce(definition->'options' ? 'custom_dismiss_action', false), (
    SELECT jsonb_agg(jsonb_build_array(a->>'id', a->>'type' = 'text_input', coalesce(a->'options' ? 'foreground', false)) ORDER BY ordinal)
    FROM jsonb_array_elements(definition->'actions') WITH ORDINALITY AS x (a, ordinal)));
$$;

-- What versions registered of categories, each under its number, as the lane that is applied knows it.
CREATE OR REPLACE FUNCTION category_known(apps integer[], categories text[], versions text[])
RETURNS TABLE (ordinal integer, registered_at timestamptz, device_id text, id uuid, first_at timestamptz, definition jsonb)
LANGUAGE sql STABLE AS $$
  SELECT k.ordinal, c.registered_at, c.device_id, c.id, c.first_at, c.definition
  FROM (
    SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(categories) AS category,
      unnest(versions) AS version
  ) k
  CROSS JOIN LATERAL (
    SELECT c.registered_at, c.device_id, c.id, c.first_at, c.definition
    FROM category c
    WHERE (c.app_id, c.category_id, c.app_version) = (k.app, k.category, k.version) AND projection.current_lane() = 0
    UNION ALL
    SELECT c.registered_at, c.device_id, c.id, c.first_at, c.definition
    FROM lane_category c
    WHERE (c.app_id, c.category_id, c.app_version, c.lane) = (k.app, k.category, k.version, projection.current_lane())
      AND projection.current_lane() > 0
    OFFSET 0
  ) c
$$;

-- Whether a version registered a category, as a lane knows it.
CREATE OR REPLACE FUNCTION category_has_version(app integer, category text, version text, own smallint) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT CASE own
    WHEN 0 THEN EXISTS (
      SELECT FROM category c WHERE (c.app_id, c.category_id, c.app_version) = (app, category_has_version.category, version))
    ELSE EXISTS (
      SELECT FROM lane_category c
      WHERE (c.app_id, c.category_id, c.app_version, c.lane) = (app, category_has_version.category, version, own))
  END
$$;

-- How many versions registered categories and buttons, each under its number, as the lane that is applied knows it.
CREATE OR REPLACE FUNCTION category_versions_known(apps integer[], categories text[], actions text[])
RETURNS TABLE (ordinal integer, versions bigint, custom_dismiss bigint, text_input bigint, foreground bigint)
LANGUAGE sql STABLE AS $$
  SELECT k.ordinal, c.versions, c.custom_dismiss, c.text_input, c.foreground
  FROM (
    SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(categories) AS category,
      unnest(actions) AS action
  ) k
  CROSS JOIN LATERAL (
    SELECT * FROM category_versions c
    WHERE (c.app_id, c.category_id, c.action_id, c.lane) = (k.app, k.category, k.action, projection.current_lane())
    OFFSET 0
  ) c
$$;

-- Puts categories whose behaviour a batch changed into category_change, for the next walk of the app: each with the version of the
-- app that registered it, or with null for versions that never did.
CREATE OR REPLACE FUNCTION category_versions_changed(apps integer[], categories text[], versions text[], after bigint) RETURNS void
LANGUAGE sql AS $$
  WITH said AS (
    SELECT app, category, bool_or(version IS NULL) AS others,
      CASE WHEN count(version) <= 100 THEN coalesce(array_agg(version) FILTER (WHERE version IS NOT NULL), '{}') END AS versions
    FROM (SELECT unnest(apps) AS app, unnest(categories) AS category, unnest(versions) AS version) k
    GROUP BY app, category
  ), change AS (   -- one set aside earlier and applied now lies before what the version has claimed: it holds back from here on
    INSERT INTO category_change AS c (app_id, category_id, number, lane, app_versions, others)
    SELECT k.app, k.category, coalesce(w.number + 1, 1), projection.current_lane(), k.versions, k.others
    FROM said k
    LEFT JOIN category_walk w ON (w.app_id, w.lane) = (k.app, projection.current_lane())
    ON CONFLICT (app_id, category_id, number, lane) DO UPDATE
    SET others = c.others OR excluded.others,
      app_versions = CASE WHEN cardinality(c.app_versions) + cardinality(excluded.app_versions) <= 100
        THEN c.app_versions || excluded.app_versions END
    RETURNING app_id
  )
  INSERT INTO category_walk AS w
  SELECT DISTINCT app_id, 1, coalesce(nullif(current_setting('notilog.applied', true), '')::bigint, after), NULL::bigint,
    -- Behind those that wait already: an app whose categories change all the time would go before them every time.
    (SELECT coalesce(max(o.turn), 0) + 1 FROM category_walk o WHERE o.lane = projection.current_lane()), '', '',
    timestamptz '-infinity', false, projection.current_lane()
  FROM change
  ON CONFLICT (app_id, lane) DO UPDATE SET next_after = least(w.next_after, excluded.after_position)
$$;

-- The same where it is not said of which versions, as by a service of an earlier release: the changes bear on all notifications.
CREATE OR REPLACE FUNCTION category_changed(apps integer[], categories text[], after bigint) RETURNS void
LANGUAGE sql AS $$
  SELECT category_versions_changed(apps, categories, NULL, after);
  UPDATE category_change c
  SET app_versions = NULL
  FROM (SELECT unnest(apps) AS app, unnest(categories) AS category) k
  WHERE (c.app_id, c.category_id, c.lane) = (k.app, k.category, projection.current_lane())
$$;

-- Gives each lane beyond the first what the first knows, in a version that begins.
CREATE OR REPLACE FUNCTION category_to_lanes(lanes smallint) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO lane_category
  SELECT c.*, n FROM category c, generate_series(1, lanes - 1) AS n;
  INSERT INTO category_versions
  SELECT c.app_id, c.category_id, c.action_id, c.versions, c.custom_dismiss, c.text_input, c.foreground, n
  FROM category_versions c, generate_series(1, lanes - 1) AS n WHERE c.lane = 0;
  INSERT INTO category_walk
  SELECT w.app_id, w.number, w.after_position, w.next_after, w.turn, w.device_id, w.notification_id, w.occurrence, w.is_surrogate, n
  FROM category_walk w, generate_series(1, lanes - 1) AS n WHERE w.lane = 0;
  INSERT INTO category_change
  SELECT c.app_id, c.category_id, c.number, n, c.app_versions, c.others FROM category_change c, generate_series(1, lanes - 1) AS n WHERE c.lane = 0
$$;
