-- projection: notification
-- after: device_period, category

-- A claim: the place of an event in the order of stages and, within its stage, in the tie order; then what it says.
CREATE OR REPLACE FUNCTION place(stage integer, at timestamptz, id uuid) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT set_byte('\x00', 0, stage) || timestamptz_send(at) || uuid_send(id) $$;

-- Stable, as convert_from is: claimed to be more, it would be called and not taken into the query around it.
CREATE OR REPLACE FUNCTION claimed(claim bytea) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT convert_from(substr(claim, 26), 'UTF8') $$;

-- A time that an event says, of the clock of its occurred_at, shifted by as much as that is: so what was delivered before it
-- was responded to stays so. Within what a time may be; an event is later than it says by days at most, by which no time ends.
CREATE OR REPLACE FUNCTION shifted(said timestamptz, occurred_at timestamptz, at timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN said IS NULL OR at = occurred_at THEN said
    ELSE greatest(said + greatest(at - occurred_at, interval '-4000 years'), '0001-01-01T00:00:00Z') END
$$;

-- 1. What the batch says of each notification, into notification_batch.
CREATE OR REPLACE FUNCTION notification_facts(after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notification_batch
  SELECT app_id, device_id, notification_id, occurrence,
    min(at) FILTER (WHERE stage = 0),
    min(scheduled_for) FILTER (WHERE scheduled_for IS NOT NULL),
    min(delivered_at) FILTER (WHERE delivered_at IS NOT NULL),
    min(at) FILTER (WHERE stage = 1),
    min(at) FILTER (WHERE stage = 1 AND source IS DISTINCT FROM 'delivered_list'),
    min(at) FILTER (WHERE stage = 2),
    min(at) FILTER (WHERE stage = 3),
    min(at) FILTER (WHERE stage = 4),
    min(at) FILTER (WHERE withdraws),
    min(received_at) FILTER (WHERE stage = 0),
    count(*) FILTER (WHERE stage = 0),
    bool_or(stage = 0 AND is_push), bool_or(stage = 0 AND NOT has_error), bool_or(stage = 0 AND has_error),
    bool_or(kind = 'push_result'), bool_or(kind = 'push_result' AND accepted),
    bool_or(shows), bool_or(stage = 2 AND NOT shows), bool_or(stage = 2 AND NOT shows AND sounds), bool_or(filtered),
    bool_or(stage = 0 AND mutable_content),
    bool_or(stage = 0 AND NOT has_error AND (is_push OR scheduled_for IS NOT NULL OR NOT at_large)),
    bool_or(stage = 2 OR (stage = 1 AND source IS DISTINCT FROM 'background_wake')),
    (array_agg(place || textsend(action_id)) FILTER (WHERE stage = 3))[1],
    (array_agg(place || textsend(alerting)) FILTER (WHERE alerting IS NOT NULL))[1],
    (array_agg(place || textsend(category)) FILTER (WHERE stage = 0 AND category IS NOT NULL))[1],
    -- The category is the one that the person saw: the latest stage first.
    coalesce(
      (array_agg(set_byte(place, 0, 0) || textsend(category)) FILTER (WHERE stage = 3 AND category IS NOT NULL))[1],
      (array_agg(set_byte(place, 0, 1) || textsend(category)) FILTER (WHERE stage = 4 AND category IS NOT NULL))[1],
      (array_agg(set_byte(place, 0, 2) || textsend(category)) FILTER (WHERE stage = 2 AND category IS NOT NULL))[1],
      (array_agg(set_byte(place, 0, 3) || textsend(category)) FILTER (WHERE stage = 1 AND category IS NOT NULL))[1],
      (array_agg(set_byte(place, 0, 4) || textsend(category)) FILTER (WHERE stage = 0 AND category IS NOT NULL))[1]),
    (array_agg(place || textsend(trigger)) FILTER (WHERE stage < 5 AND trigger IS NOT NULL))[1],
    (array_agg(place || textsend(interruption_level)) FILTER (WHERE stage < 5 AND interruption_level IS NOT NULL))[1],
    (array_agg(place || textsend(campaign)) FILTER (WHERE stage < 5 AND campaign IS NOT NULL))[1],
    (array_agg(place || textsend(variant)) FILTER (WHERE stage < 5 AND variant IS NOT NULL))[1],
    (array_agg(place || textsend(thread)) FILTER (WHERE stage < 5 AND thread IS NOT NULL))[1],
    array_agg(received_at) FILTER (WHERE stage = 0)
  FROM (
    -- In the order of claims, which array_agg keeps: the first element is the first by claim. By a hash of the device
    -- first, as that sorts faster.
    SELECT hashtextextended(device_id, app_id) AS spread, app_id, device_id, notification_id, kind, stage, at, received_at,
      CASE WHEN stage = 0 AND data->'trigger'->>'repeats' = 'true' THEN 'infinity'
        ELSE coalesce(occurrence, '-infinity') END AS occurrence,
      place(stage, at, id) AS place,
      data->>'category_id' AS category,
      coalesce(data->'trigger'->>'type', CASE WHEN stage = 0 AND data ? 'push' THEN 'push' END) AS trigger,
      data->>'interruption_level' AS interruption_level, data->>'campaign_id' AS campaign, data->>'variant' AS variant,
      data->>'thread_id' AS thread,
      CASE WHEN stage > 0 THEN shifted((data->>'delivered_at')::timestamptz, occurred_at, at) END AS delivered_at,
      CASE stage WHEN 0 THEN shifted((data->>'scheduled_for')::timestamptz, occurred_at, at) END AS scheduled_for,
      -- Of a push only the type alert alerts, whatever was written down before that was the rule.
      CASE stage
        WHEN 0 THEN CASE WHEN data#>>'{push,push_type}' <> 'alert' THEN 'false' ELSE coalesce(data->>'alerting', 'true') END
        WHEN 1 THEN data->>'alerting'
      END AS alerting,
      CASE stage WHEN 0 THEN data ? 'error' END AS has_error,
      CASE stage WHEN 0 THEN
        coalesce(data->'trigger'->>'type' = 'push' OR data->>'origin' = 'provider', false) OR data ? 'push' END AS is_push,
      -- At a date or place: when that comes, if ever, only scheduled_for says.
      CASE stage WHEN 0 THEN coalesce(data->'trigger'->>'type' IN ('calendar', 'location'), false) END AS at_large,
      CASE stage WHEN 0 THEN coalesce(data->>'mutable_content' = 'true', false) END AS mutable_content,
      CASE stage WHEN 1 THEN data->>'source' END AS source,
      coalesce(stage = 1 AND data->'extension'->>'outcome' = 'filtered', false) AS filtered,
      stage = 2 AND (data->>'surface' <> 'foreground' OR data->'options' ?| '{alert,list,banner}') AS shows,
      stage = 2 AND data->'options' ?| '{badge,sound}' AS sounds,
      CASE stage WHEN 3 THEN data->>'action_id' END AS action_id,
      kind = 'push_result' AND coalesce(data->>'status' = '200', false) AS accepted,
      kind = 'removal' AND data->>'state' = 'pending' AND data->>'reason' IS DISTINCT FROM 'replaced' AS withdraws
    FROM (
      SELECT *, effective_at AS at,
        CASE kind WHEN 'request' THEN 0 WHEN 'delivery' THEN 1 WHEN 'presentation' THEN 2 WHEN 'action_response' THEN 3
          WHEN 'dismissal' THEN 4 WHEN 'removal' THEN 5 WHEN 'push_result' THEN 5 END AS stage
      FROM projection.batch(after, upto)
      WHERE notification_id IS NOT NULL AND device_id <> ''
    ) event
    WHERE stage IS NOT NULL
    ORDER BY spread, notification_id, occurrence, app_id, device_id, stage, at, id
  ) event
  GROUP BY spread, notification_id, occurrence, app_id, device_id;
END $$;

-- 2. Each distinct action of each notification. Leaves what the batch says of it in notification_action_batch, and those
-- that were known as they were in notification_action_old.
CREATE OR REPLACE FUNCTION notification_actions(after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notification_action_batch
  SELECT app_id, device_id, notification_id, coalesce(occurrence, '-infinity'), data->>'action_id', min(effective_at),
    count(*) FILTER (WHERE in_extension), count(*) FILTER (WHERE NOT in_extension), bool_or(data ? 'text_length'),
    min(received_at) FILTER (WHERE NOT in_extension), array_agg(received_at) FILTER (WHERE NOT in_extension)
  FROM (
    SELECT *, (data->>'delegate' = 'content_extension') IS TRUE AS in_extension
    FROM projection.batch(after, upto)
    WHERE kind = 'action_response'
  ) response
  GROUP BY 1, 2, 3, 4, 5;

  PERFORM projection.only_index_lookups(true);
  INSERT INTO notification_action_old
  SELECT a.*
  FROM notification_action_batch b
  JOIN notification_action a USING (app_id, device_id, notification_id, occurrence, action_id);
  PERFORM projection.only_index_lookups(false);

  INSERT INTO notification_action AS a
  SELECT app_id, device_id, notification_id, occurrence, action_id, first_at, in_extension, callbacks, has_text, callback_received_at
  FROM notification_action_batch
  ON CONFLICT (app_id, device_id, notification_id, occurrence, action_id) DO UPDATE SET
    first_at = least(a.first_at, excluded.first_at),
    in_extension = a.in_extension + excluded.in_extension,
    callbacks = a.callbacks + excluded.callbacks,
    has_text = a.has_text OR excluded.has_text,
    callback_received_at = least(a.callback_received_at, excluded.callback_received_at);
END $$;

-- The next slice of the walks of apps whose categories changed: no more notifications are gone through than the setting
-- notilog.slice_rows says, all apps together. An event that comes meanwhile derives its notification by the category as it
-- is, so a notification that is not there yet, or moves, needs no second look.
CREATE OR REPLACE FUNCTION notification_slice() RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  rows_left integer := coalesce(nullif(current_setting('notilog.slice_rows', true), '')::integer, 10000);
  newest    bigint := (SELECT coalesce(max(turn), 0) + 1 FROM category_walk);
  walk      category_walk;
  reached   record;
BEGIN
  -- By the primary key, in its order, whatever the planner believes.
  PERFORM projection.only_index_lookups(true), set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true);
  FOR walk IN SELECT * FROM category_walk ORDER BY turn, app_id LOOP
    EXIT WHEN rows_left <= 0;
    IF NOT walk.is_surrogate AND log.is_surrogate(walk.device_id) THEN
      -- That device was erased, and stands elsewhere in the order: from the beginning.
      walk.device_id := '';
      walk.notification_id := '';
      walk.occurrence := '-infinity';
    END IF;
    WITH slice AS MATERIALIZED (
      SELECT n.device_id, n.notification_id, n.occurrence, n.category
      FROM notification n
      WHERE n.app_id = walk.app_id AND (n.app_id, n.device_id, n.notification_id, n.occurrence)
        > (walk.app_id, walk.device_id, walk.notification_id, walk.occurrence)
      ORDER BY n.app_id, n.device_id, n.notification_id, n.occurrence
      LIMIT rows_left
    ), touched AS (
      INSERT INTO notification_touched
      SELECT walk.app_id, s.device_id, s.notification_id, s.occurrence
      FROM slice s
      WHERE s.occurrence <> 'infinity' AND EXISTS (
        SELECT FROM category_change c WHERE (c.app_id, c.category_id, c.number) = (walk.app_id, s.category, walk.number))
    )
    SELECT device_id, notification_id, occurrence, count(*) OVER () AS rows
    INTO reached
    FROM slice
    ORDER BY device_id DESC, notification_id DESC, occurrence DESC
    LIMIT 1;

    IF coalesce(reached.rows, 0) = rows_left THEN
      UPDATE category_walk w
      SET turn = newest, device_id = reached.device_id, notification_id = reached.notification_id,
        occurrence = reached.occurrence, is_surrogate = log.is_surrogate(reached.device_id)
      WHERE w.app_id = walk.app_id;
    ELSE
      DELETE FROM category_change c WHERE (c.app_id, c.number) = (walk.app_id, walk.number);
      IF walk.next_after IS NULL THEN
        DELETE FROM category_walk w WHERE w.app_id = walk.app_id;
      ELSE
        UPDATE category_walk w
        SET turn = newest, number = walk.number + 1, after_position = walk.next_after, next_after = NULL, device_id = '',
          notification_id = '', occurrence = '-infinity', is_surrogate = false
        WHERE w.app_id = walk.app_id;
      END IF;
    END IF;
    rows_left := rows_left - greatest(coalesce(reached.rows, 0), 1);
  END LOOP;
  PERFORM projection.only_index_lookups(false), set_config('enable_sort', 'on', true), set_config('enable_bitmapscan', 'on', true);
END $$;

-- 3. Notifications without an event in the batch that it touches all the same: those of a device whose context or
-- settings changed in a time they fall into, or that is now known to have a service extension; a slice of those of a
-- category that changed; the firings of a schedule. And those of an erased device, whose place in that walk has changed.
CREATE OR REPLACE FUNCTION notification_touch(after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  WITH extended AS (
    INSERT INTO device_extension
    SELECT DISTINCT app_id, device_id
    FROM projection.batch(after, upto)
    WHERE kind = 'delivery' AND data->>'source' = 'service_extension'
    ON CONFLICT DO NOTHING
    RETURNING app_id, device_id
  )
  INSERT INTO device_change
  SELECT app_id, device_id, timestamptz '-infinity' FROM extended
  UNION ALL
  SELECT app_id, device_id, timestamptz '-infinity' FROM log.erased_between(after, upto);

  PERFORM projection.only_index_lookups(true);
  INSERT INTO notification_touched
  SELECT app_id, device_id, notification_id, occurrence
  FROM (SELECT app_id, device_id, min(from_at) AS from_at FROM device_change GROUP BY 1, 2) d
  JOIN notification USING (app_id, device_id)
  WHERE cohort_at >= from_at
  UNION
  SELECT n.app_id, n.device_id, n.notification_id, n.occurrence
  FROM (SELECT * FROM notification_batch WHERE occurrence = 'infinity') s
  JOIN notification n USING (app_id, device_id, notification_id)
  WHERE n.occurrence <> 'infinity';
  PERFORM projection.only_index_lookups(false);

  PERFORM notification_slice();

  -- No longer row by row: both sides may be large. By EXCEPT, which reads each once, whatever the planner believes.
  INSERT INTO notification_batch
  SELECT n.app_id, n.device_id, n.notification_id, n.occurrence,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    0, false, false, false, false, false, false, false, false, false, false, false, false
  FROM (
    TABLE notification_touched
    EXCEPT
    SELECT app_id, device_id, notification_id, occurrence FROM notification_batch
  ) n;
END $$;

-- 4. What is known around the batch, by index: the rows themselves as they were, the actions of those that were responded
-- to, the schedules that firings take attributes from, and each device over time.
CREATE OR REPLACE FUNCTION notification_known(schedules boolean) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM projection.only_index_lookups(true);
  INSERT INTO notification_old
  SELECT o.*
  FROM notification_batch n
  JOIN notification o USING (app_id, device_id, notification_id, occurrence)
  WHERE (n.occurrence = 'infinity') = schedules;

  IF schedules THEN
    PERFORM projection.only_index_lookups(false);
    RETURN;
  END IF;

  -- Of each device all that it has: there are few, and fewer devices than notifications.
  INSERT INTO notification_repeated
  SELECT s.*
  FROM (SELECT DISTINCT app_id, device_id FROM notification_batch) d
  CROSS JOIN LATERAL (
    SELECT *
    FROM notification n
    WHERE (n.app_id, n.device_id) = (d.app_id, d.device_id) AND n.occurrence = 'infinity'
    OFFSET 0
  ) s;

  INSERT INTO notification_answer
  SELECT a.*
  FROM (
    SELECT app_id, device_id, notification_id, occurrence FROM notification_batch WHERE responded_at IS NOT NULL
    UNION
    SELECT app_id, device_id, notification_id, occurrence FROM notification_old WHERE responded_at IS NOT NULL
  ) n
  JOIN notification_action a USING (app_id, device_id, notification_id, occurrence);

  -- Of each device what was so at the times of its notifications: it may have thousands of periods.
  INSERT INTO device_known_at
  WITH device AS (
    SELECT app_id, device_id,
      min(least(scheduled_for, requested_at, delivered_at, delivery_at, presentation_at, responded_at, dismissed_at)) AS from_at,
      max(greatest(scheduled_for, requested_at, delivered_at, delivery_at, presentation_at, responded_at, dismissed_at)) AS to_at
    FROM (
      SELECT app_id, device_id, scheduled_for, requested_at, delivered_at, delivery_at, presentation_at, responded_at, dismissed_at
      FROM notification_batch
      UNION ALL
      SELECT app_id, device_id, scheduled_for, requested_at, delivered_at, delivery_at, presentation_at, responded_at, dismissed_at
      FROM notification_old
    ) n
    GROUP BY app_id, device_id
  )
  SELECT p.app_id, p.device_id, p.series, p.first_at, p.first_id, p.value
  FROM device d
  CROSS JOIN (VALUES ('context'), ('settings')) AS s (series)
  CROSS JOIN LATERAL device_periods_around(d.app_id, d.device_id, s.series, d.from_at, d.to_at) p
  UNION ALL
  SELECT app_id, device_id, 'extension', NULL, NULL, NULL
  FROM device
  JOIN device_extension USING (app_id, device_id);
  PERFORM projection.only_index_lookups(false);
END $$;

-- 5. Merges the batch with the rows known, and with what a schedule says of its firings; derives the stages; writes
-- what changed. Leaves each changed row in notification_change, as it was (sign -1) and as it is (sign 1).
CREATE OR REPLACE FUNCTION notification_write(schedules boolean) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notification_known(schedules);
  -- Nothing is read from large tables here.
  PERFORM set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true);

  INSERT INTO notification_new
  WITH merged AS (
    SELECT n.app_id, n.device_id, n.notification_id, n.occurrence,
      least(o.requested_at, n.requested_at) AS requested_at,
      least(o.scheduled_for, n.scheduled_for) AS scheduled_for,
      least(o.delivered_at, n.delivered_at) AS delivered_at,
      least(o.delivery_at, n.delivery_at) AS delivery_at,
      least(o.arrived_at, n.arrived_at) AS arrived_at,
      least(o.presentation_at, n.presentation_at) AS presentation_at,
      least(o.responded_at, n.responded_at) AS responded_at,
      least(o.dismissed_at, n.dismissed_at) AS dismissed_at,
      least(o.withdrawn_at, n.withdrawn_at) AS withdrawn_at,
      least(o.request_received_at, n.request_received_at) AS request_received_at,
      coalesce(o.requests, 0) + n.requests AS requests,
      coalesce(o.is_push, false) OR n.is_push AS is_push,
      coalesce(o.add_succeeded, false) OR n.add_succeeded AS add_succeeded,
      coalesce(o.add_failed, false) OR n.add_failed AS add_failed,
      coalesce(o.push_answered, false) OR n.push_answered AS push_answered,
      coalesce(o.push_accepted, false) OR n.push_accepted AS push_accepted,
      coalesce(o.showed, false) OR n.showed AS showed,
      coalesce(o.hid, false) OR n.hid AS hid,
      coalesce(o.sounded, false) OR n.sounded AS sounded,
      coalesce(o.filtered, false) OR n.filtered AS filtered,
      coalesce(o.mutable_content, false) OR n.mutable_content OR coalesce(s.mutable_content, false) AS mutable_content,
      coalesce(o.due_known, false) OR n.due_known AS due_known,
      coalesce(o.witnessed, false) OR n.witnessed AS witnessed,
      least(o.first_action, n.first_action) AS first_action,
      least(o.first_alerting, n.first_alerting, s.first_alerting) AS first_alerting,
      least(o.first_requested_category, n.first_requested_category, s.first_requested_category) AS first_requested_category,
      least(o.first_category, n.first_category, s.first_category) AS first_category,
      least(o.first_trigger, n.first_trigger, s.first_trigger) AS first_trigger,
      least(o.first_interruption_level, n.first_interruption_level, s.first_interruption_level) AS first_interruption_level,
      least(o.first_campaign, n.first_campaign, s.first_campaign) AS first_campaign,
      least(o.first_variant, n.first_variant, s.first_variant) AS first_variant,
      least(o.first_thread, n.first_thread, s.first_thread) AS first_thread
    FROM notification_batch n
    LEFT JOIN notification_old o USING (app_id, device_id, notification_id, occurrence)
    LEFT JOIN notification_repeated s
      ON (s.app_id, s.device_id, s.notification_id) = (n.app_id, n.device_id, n.notification_id)
    WHERE (n.occurrence = 'infinity') = schedules
    OFFSET 0   -- here and below: so that each expression is computed once
  ), staged AS (
    SELECT *,
      CASE WHEN NOT schedules THEN
        coalesce(scheduled_for, requested_at, delivered_at, delivery_at, presentation_at, responded_at, dismissed_at)
      END AS cohort_at,
      coalesce(delivered_at, arrived_at, presentation_at, scheduled_for, CASE WHEN is_push THEN requested_at END) AS shown_at,
      responded_at IS NOT NULL AS responded,
      dismissed_at IS NOT NULL AS dismissed,
      delivery_at IS NOT NULL OR presentation_at IS NOT NULL AS seen,
      claimed(first_action) AS action_id,
      claimed(first_category) AS category
    FROM merged
  ), proved AS (
    SELECT *,
      NOT schedules AND add_succeeded AS requested,
      seen OR responded OR dismissed AS delivered,
      showed OR responded OR dismissed AS presented,
      (hid OR filtered) AND NOT (showed OR responded OR dismissed) AS hidden
    FROM staged
  ), ended AS (
    SELECT *,
      NOT schedules AND ((add_failed AND NOT add_succeeded) OR (push_answered AND NOT push_accepted)) AND NOT delivered AS failed,
      NOT schedules AND withdrawn_at IS NOT NULL AND NOT delivered AS withdrawn
    FROM proved
  ), reached AS (
    SELECT *,
      coalesce(claimed(first_alerting)::boolean, true) AND NOT (failed OR withdrawn OR hidden) AS alive
    FROM ended
    OFFSET 0
  ), device AS (
    -- Each as arrays in the order of time, in which a time is looked for by halves.
    SELECT app_id, device_id,
      array_agg(first_at) FILTER (WHERE series = 'context') AS context_from,
      array_agg(value) FILTER (WHERE series = 'context') AS contexts,
      array_agg(first_at) FILTER (WHERE series = 'settings') AS settings_from,
      array_agg(value->>'authorization_status') FILTER (WHERE series = 'settings') AS authorization_statuses,
      bool_or(series = 'extension') AS extends
    FROM (SELECT * FROM device_known_at ORDER BY app_id, device_id, first_at, first_id) k
    GROUP BY app_id, device_id
  ), placed AS (
    SELECT r.*, coalesce(k.extends, false) AS extends,
      coalesce(authorization_statuses[width_bucket(cohort_at, settings_from)] = 'denied', false) AS denied,
      -- Before its first context a device has that one.
      CASE WHEN cohort_at IS NOT NULL THEN contexts[greatest(width_bucket(cohort_at, context_from), 1)] END AS context
    FROM reached r
    LEFT JOIN device k USING (app_id, device_id)
    OFFSET 0
  ), known AS (
    -- Where notifications are denied, a push still wakes the app, and nobody sees it.
    SELECT *, alive AND (witnessed OR (seen AND NOT denied)) AS reached_seen,
      alive AND NOT seen AND requested AND NOT denied AND due_known AS reached_assumed,
      alive AND NOT seen AND requested AND NOT denied AND NOT due_known AS reach_unknown,
      context->>'platform' AS platform, context->>'os_version' AS os_version, context->>'app_version' AS app_version,
      context->>'locale' AS locale, context->>'time_zone' AS time_zone
    FROM placed
    OFFSET 0
  )
  SELECT d.app_id, d.device_id, d.notification_id, d.occurrence,
    requested_at, scheduled_for, delivered_at, delivery_at, arrived_at,
    presentation_at, responded_at, dismissed_at, withdrawn_at, request_received_at,
    requests, is_push, add_succeeded, add_failed, push_answered, push_accepted, showed, hid, sounded, filtered,
    mutable_content, due_known, witnessed, first_action,
    first_alerting, first_requested_category, first_category, first_trigger, first_interruption_level,
    first_campaign, first_variant, first_thread,
    cohort_at, shown_at, requested, failed, delivered, presented, hidden AND NOT sounded, hidden AND sounded,
    responded, dismissed, withdrawn,
    (responded OR dismissed) AND NOT seen AND requested_at IS NULL,
    reached_seen, reached_assumed, reach_unknown,
    coalesce(d.action_id = 'default', false),
    coalesce(d.action_id <> 'default' AND NOT (coalesce(t.has_text, false) OR coalesce(r.text_input, false)), false),
    coalesce(d.action_id <> 'default' AND (coalesce(t.has_text, false) OR coalesce(r.text_input, false)), false),
    coalesce(d.action_id = 'default' OR coalesce(r.foreground, false), false),
    (reached_seen OR reached_assumed) AND coalesce(c.custom_dismiss, v.custom_dismiss, false),
    requested AND mutable_content AND extends AND NOT denied,
    coalesce(a.duplicate_callbacks, 0), d.action_id, d.category,
    claimed(first_requested_category), claimed(first_trigger),
    claimed(first_interruption_level), claimed(first_campaign),
    claimed(first_variant), claimed(first_thread),
    platform, os_version, d.app_version, locale, time_zone
  FROM known d
  LEFT JOIN category c
    ON (c.app_id, c.category_id, c.app_version) = (d.app_id, d.category, d.app_version)
  LEFT JOIN (
    SELECT app_id, category_id, bool_or(custom_dismiss) AS custom_dismiss FROM category GROUP BY app_id, category_id
  ) v ON (v.app_id, v.category_id) = (d.app_id, d.category)
  LEFT JOIN notification_answer t ON (t.app_id, t.device_id, t.notification_id, t.occurrence, t.action_id)
    = (d.app_id, d.device_id, d.notification_id, d.occurrence, d.action_id)
  LEFT JOIN (
    SELECT app_id, device_id, notification_id, occurrence,
      sum(CASE WHEN callbacks = 0 THEN 0 WHEN in_extension = 0 THEN callbacks - 1 ELSE callbacks END)::integer
        AS duplicate_callbacks
    FROM notification_answer
    GROUP BY app_id, device_id, notification_id, occurrence
  ) a ON (a.app_id, a.device_id, a.notification_id, a.occurrence)
    = (d.app_id, d.device_id, d.notification_id, d.occurrence)
  LEFT JOIN LATERAL (
    SELECT x.text_input, x.foreground
    FROM registered_action(d.app_id, d.category, d.action_id, d.app_version) x
    WHERE d.action_id <> 'default'
    OFFSET 0   -- so that it is not asked for the many that have no such action
  ) r ON true;

  DELETE FROM notification_new n
  USING notification_old o
  WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = (o.app_id, o.device_id, o.notification_id, o.occurrence)
    AND n.* IS NOT DISTINCT FROM o.*;

  DELETE FROM notification_old o
  WHERE NOT EXISTS (
    SELECT FROM notification_new n
    WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = (o.app_id, o.device_id, o.notification_id, o.occurrence));

  -- Nobody else writes these rows. So what is new needs no look for a conflict, which would write more to the WAL.
  INSERT INTO notification
  SELECT n.*
  FROM notification_new n
  WHERE (n.occurrence = 'infinity') = schedules AND NOT EXISTS (
    SELECT FROM notification_old o
    WHERE (o.app_id, o.device_id, o.notification_id, o.occurrence) = (n.app_id, n.device_id, n.notification_id, n.occurrence))
  ORDER BY n.app_id, n.device_id, n.cohort_at;

  INSERT INTO notification AS o
  SELECT n.*
  FROM notification_new n
  WHERE (n.occurrence = 'infinity') = schedules AND EXISTS (
    SELECT FROM notification_old o
    WHERE (o.app_id, o.device_id, o.notification_id, o.occurrence) = (n.app_id, n.device_id, n.notification_id, n.occurrence))
  ON CONFLICT (app_id, device_id, notification_id, occurrence) DO UPDATE SET (
    app_id, device_id, notification_id, occurrence, requested_at, scheduled_for, delivered_at, delivery_at,
    arrived_at, presentation_at, responded_at, dismissed_at, withdrawn_at, request_received_at, requests, is_push,
    add_succeeded, add_failed, push_answered, push_accepted, showed, hid, sounded, filtered, mutable_content, due_known,
    witnessed, first_action,
    first_alerting, first_requested_category, first_category, first_trigger, first_interruption_level,
    first_campaign, first_variant, first_thread, cohort_at, shown_at, requested, failed, delivered, presented,
    suppressed, silent, responded, dismissed, withdrawn, response_only, reached_seen, reached_assumed, reach_unknown, opened,
    acted, replied, app_opened, dismiss_observable, delivery_observable, duplicate_callbacks, action_id, category,
    requested_category, trigger, interruption_level, campaign, variant, thread, platform, os_version, app_version,
    locale, time_zone
  ) = ROW(excluded.*);
  PERFORM set_config('enable_nestloop', 'on', true), set_config('enable_mergejoin', 'on', true);
END $$;

CREATE OR REPLACE FUNCTION notification_apply(after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql SET client_min_messages = warning SET jit = off AS $$
BEGIN
  IF to_regclass('pg_temp.notification_batch') IS NULL THEN
    CREATE TEMP TABLE notification_old ON COMMIT DELETE ROWS AS TABLE notification WITH NO DATA;
    CREATE TEMP TABLE notification_new ON COMMIT DELETE ROWS AS TABLE notification WITH NO DATA;
    CREATE TEMP TABLE notification_repeated ON COMMIT DELETE ROWS AS TABLE notification WITH NO DATA;
    CREATE TEMP TABLE notification_answer ON COMMIT DELETE ROWS AS TABLE notification_action WITH NO DATA;
    CREATE TEMP TABLE notification_action_old ON COMMIT DELETE ROWS AS TABLE notification_action WITH NO DATA;
    CREATE TEMP TABLE notification_action_batch ON COMMIT DELETE ROWS AS
      SELECT *, NULL::timestamptz[] AS callback_times FROM notification_action WITH NO DATA;   -- of `callbacks`, each
    CREATE TEMP TABLE device_known_at ON COMMIT DELETE ROWS AS
      SELECT app_id, device_id, series, first_at, first_id, value FROM device_period WITH NO DATA;
    -- What is left of both when a batch is written.
    CREATE TEMP VIEW notification_change AS
      SELECT 1::smallint AS sign, n.* FROM notification_new n
      UNION ALL
      SELECT -1::smallint, o.* FROM notification_old o;
    CREATE TEMP TABLE notification_touched ON COMMIT DELETE ROWS AS
      SELECT app_id, device_id, notification_id, occurrence FROM notification WITH NO DATA;
    CREATE TEMP TABLE notification_batch ON COMMIT DELETE ROWS AS TABLE notification WITH NO DATA;
    ALTER TABLE notification_batch
      DROP COLUMN cohort_at, DROP COLUMN shown_at, DROP COLUMN requested, DROP COLUMN failed,
      DROP COLUMN delivered, DROP COLUMN presented, DROP COLUMN suppressed, DROP COLUMN silent,
      DROP COLUMN responded, DROP COLUMN dismissed, DROP COLUMN withdrawn, DROP COLUMN response_only,
      DROP COLUMN reached_seen, DROP COLUMN reached_assumed, DROP COLUMN reach_unknown, DROP COLUMN opened, DROP COLUMN acted,
      DROP COLUMN replied, DROP COLUMN app_opened, DROP COLUMN dismiss_observable, DROP COLUMN delivery_observable,
      DROP COLUMN duplicate_callbacks, DROP COLUMN action_id, DROP COLUMN category, DROP COLUMN requested_category,
      DROP COLUMN trigger, DROP COLUMN interruption_level, DROP COLUMN campaign, DROP COLUMN variant,
      DROP COLUMN thread, DROP COLUMN platform, DROP COLUMN os_version, DROP COLUMN app_version,
      DROP COLUMN locale, DROP COLUMN time_zone,
      ADD COLUMN request_times timestamptz[];   -- when the server received each request
  END IF;
  IF EXISTS (SELECT FROM notification_batch) OR EXISTS (SELECT FROM notification_new) THEN
    TRUNCATE notification_batch, notification_touched, notification_old, notification_new, notification_repeated,
      notification_answer, notification_action_batch, notification_action_old, device_known_at;
  END IF;

  PERFORM notification_facts(after, upto);
  PERFORM notification_actions(after, upto);
  IF EXISTS (SELECT FROM notification_batch WHERE occurrence = 'infinity') THEN
    PERFORM notification_write(schedules => true);
  END IF;
  PERFORM notification_touch(after, upto);
  PERFORM notification_write(schedules => false);
END $$;
