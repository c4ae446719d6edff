-- The second arm's notification and engagement: what passes between the steps are arrays, not tables, so that no plan is
-- made twice.
CREATE FUNCTION notification_actions(after bigint, upto bigint) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO notification_action AS a
  SELECT app_id, device_id, notification_id, coalesce(occurrence, '-infinity'), data->>'action_id', min(effective_at),
    count(*) FILTER (WHERE in_extension), count(*) FILTER (WHERE NOT in_extension), bool_or(data ? 'text_length'),
    min(received_at) FILTER (WHERE NOT in_extension)
  FROM (
    SELECT *, (data->>'delegate' = 'content_extension') IS TRUE AS in_extension FROM projection.batch(after, upto) WHERE kind = 'action_response'
  ) response
  GROUP BY 1, 2, 3, 4, 5
  ON CONFLICT (app_id, device_id, notification_id, occurrence, action_id) DO UPDATE SET
    first_at = least(a.first_at, excluded.first_at), in_extension = a.in_extension + excluded.in_extension,
    callbacks = a.callbacks + excluded.callbacks, has_text = a.has_text OR excluded.has_text,
    callback_received_at = least(a.callback_received_at, excluded.callback_received_at)
$$;

-- Adds the notifications that the batch says nothing of and touches.
CREATE FUNCTION notification_touched(facts notification_said[], after bigint, upto bigint) RETURNS notification_said[]
LANGUAGE plpgsql AS $$
DECLARE
  added notification_said[];
BEGIN
  WITH extended AS (
    INSERT INTO device_extension
    SELECT DISTINCT app_id, device_id FROM projection.batch(after, upto) WHERE kind = 'delivery' AND data->>'source' = 'service_extension'
    ON CONFLICT DO NOTHING
    RETURNING app_id, device_id
  ), touched AS (
    SELECT n.app_id, n.device_id, n.notification_id, n.occurrence
    FROM (
      SELECT app_id, device_id, min(from_at) AS from_at
      FROM (TABLE device_change UNION ALL SELECT app_id, device_id, timestamptz '-infinity' FROM extended) c
      GROUP BY 1, 2
    ) d
    CROSS JOIN LATERAL (
      SELECT * FROM notification n WHERE (n.app_id, n.device_id) = (d.app_id, d.device_id) AND (n.cohort_at >= d.from_at) IS TRUE OFFSET 0
    ) n
    UNION
    SELECT n.app_id, n.device_id, n.notification_id, n.occurrence
    FROM unnest(facts) s
    CROSS JOIN LATERAL (
      SELECT * FROM notification n
      WHERE (n.app_id, n.device_id, n.notification_id) = (s.app_id, s.device_id, s.notification_id) AND n.occurrence <> 'infinity' OFFSET 0
    ) n
    WHERE s.occurrence = 'infinity'
    UNION
    TABLE notification_touched
    EXCEPT
    SELECT app_id, device_id, notification_id, occurrence FROM unnest(facts)
  )
  SELECT array_agg(ROW(app_id, device_id, notification_id, occurrence, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::notification_said)
  INTO added
  FROM touched;
  RETURN facts || added;
END $$;

CREATE FUNCTION notification_apply(after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql SET client_min_messages = warning SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  facts notification_said[];
  changes notification_counted[];
BEGIN
  CREATE TEMP TABLE IF NOT EXISTS notification_touched (app_id integer, device_id text COLLATE "C", notification_id text COLLATE "C", occurrence timestamptz) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS change (changes notification_counted[]) ON COMMIT DELETE ROWS;
  facts := notification_facts(after, upto);
  PERFORM notification_actions(after, upto);
  IF EXISTS (SELECT FROM category_walk) THEN
    PERFORM projection.notification_slice();
  END IF;
  PERFORM projection.only_index_lookups(true);
  IF EXISTS (SELECT FROM unnest(facts) f WHERE f.occurrence = 'infinity') THEN
    PERFORM notification_write(facts, schedules => true);
  END IF;
  facts := notification_touched(facts, after, upto);
  IF facts IS NOT NULL THEN
    changes := notification_write(facts, schedules => false);
  END IF;
  PERFORM projection.only_index_lookups(false);
  INSERT INTO change VALUES (changes);
END $$;
