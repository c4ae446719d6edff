-- projection: notification
-- fold: 5
-- lanes: 1
-- after: device_period, category

-- Keys of notifications as rows, each under its number.
CREATE OR REPLACE FUNCTION notification_keys(apps integer[], devices text[], ids text[], occurrences timestamptz[])
RETURNS TABLE (ordinal integer, app_id integer, device_id text, notification_id text, occurrence timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT generate_series(1, cardinality(apps)), unnest(apps), unnest(devices), unnest(ids), unnest(occurrences)
$$;

-- The notifications of devices that are counted from a time to another; at most so many of each.
CREATE OR REPLACE FUNCTION notifications_within(
  apps integer[], devices text[], from_ats timestamptz[], to_ats timestamptz[], most integer)
RETURNS TABLE (app_id integer, device_id text, notification_id text, occurrence timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT n.app_id, n.device_id, n.notification_id, n.occurrence
  FROM (
    SELECT unnest(apps) AS app, unnest(devices) AS device, unnest(from_ats) AS from_at, unnest(to_ats) AS to_at
  ) d
  CROSS JOIN LATERAL (
    SELECT n.app_id, n.device_id, n.notification_id, n.occurrence
    FROM notification n
    WHERE (n.app_id, n.device_id) = (d.app, d.device) AND n.cohort_at >= d.from_at AND n.cohort_at <= d.to_at
    LIMIT most
    OFFSET 0
  ) n
$$;

-- All notifications and schedules of devices; at most so many of each.
CREATE OR REPLACE FUNCTION notifications_of(apps integer[], devices text[], most integer)
RETURNS TABLE (app_id integer, device_id text, notification_id text, occurrence timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT n.app_id, n.device_id, n.notification_id, n.occurrence
  FROM (SELECT unnest(apps) AS app, unnest(devices) AS device) d
  CROSS JOIN LATERAL (
    SELECT n.app_id, n.device_id, n.notification_id, n.occurrence
    FROM notification n
    WHERE (n.app_id, n.device_id) = (d.app, d.device)
    LIMIT most
    OFFSET 0
  ) n
$$;

-- The firings of schedules; at most so many of each.
CREATE OR REPLACE FUNCTION notification_firings(apps integer[], devices text[], ids text[], most integer)
RETURNS TABLE (app_id integer, device_id text, notification_id text, occurrence timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT n.app_id, n.device_id, n.notification_id, n.occurrence
  FROM (SELECT unnest(apps) AS app, unnest(devices) AS device, unnest(ids) AS id) s
  CROSS JOIN LATERAL (
    SELECT n.app_id, n.device_id, n.notification_id, n.occurrence
    FROM notification n
    WHERE (n.app_id, n.device_id, n.notification_id) = (s.app, s.device, s.id) AND n.occurrence <> 'infinity'
    LIMIT most
    OFFSET 0
  ) n
$$;

-- Of firings the schedules that there are.
CREATE OR REPLACE FUNCTION notification_schedules(apps integer[], devices text[], ids text[])
RETURNS TABLE (app_id integer, device_id text, notification_id text, occurrence timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT n.app_id, n.device_id, n.notification_id, n.occurrence
  FROM (SELECT unnest(apps) AS app, unnest(devices) AS device, unnest(ids) AS id) s
  CROSS JOIN LATERAL (
    SELECT n.app_id, n.device_id, n.notification_id, n.occurrence
    FROM notification n
    WHERE (n.app_id, n.device_id, n.notification_id) = (s.app, s.device, s.id) AND n.occurrence = 'infinity'
    OFFSET 0
  ) n
$$;

-- Actions by their keys, each under its number.
CREATE OR REPLACE FUNCTION notification_actions_known(
  apps integer[], devices text[], ids text[], occurrences timestamptz[], actions text[])
RETURNS TABLE (ordinal integer, first_at timestamptz, in_extension integer, callbacks integer, has_text boolean,
  callback_received_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT k.ordinal, a.first_at, a.in_extension, a.callbacks, a.has_text, a.callback_received_at
  FROM (
    SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(devices) AS device, unnest(ids) AS id,
      unnest(occurrences) AS occurrence, unnest(actions) AS action
  ) k
  CROSS JOIN LATERAL (
    SELECT *
    FROM notification_action a
    WHERE (a.app_id, a.device_id, a.notification_id, a.occurrence, a.action_id) = (k.app, k.device, k.id, k.occurrence, k.action)
    OFFSET 0
  ) a
$$;

-- The most notifications in a slice.
CREATE OR REPLACE FUNCTION slice_rows(rows_limit integer) RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT coalesce(rows_limit, nullif(current_setting('notilog.slice_rows', true), '')::integer, 10000)
$$;

-- The next slice of the walks of devices: half as many notifications as a slice has, all devices together.
CREATE OR REPLACE FUNCTION device_slice(rows_limit integer)
RETURNS TABLE (app_id integer, device_id text, notification_id text, occurrence timestamptz, is_erased boolean)
-- By the primary key, in its order, whatever the planner believes.
LANGUAGE plpgsql SET enable_seqscan = off SET enable_sort = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
  rows_left integer := greatest(1, slice_rows(rows_limit) / 2);
  own       constant smallint := projection.current_lane();
  lanes     constant smallint := projection.current_lanes();
  newest    bigint;
  walk      device_walk;
  reached   record;
  last      record;
  seen      integer;
BEGIN
  IF NOT EXISTS (SELECT FROM device_walk w WHERE log.lane(w.device_id) % lanes = own) THEN
    RETURN;
  END IF;
  SELECT max(turn) + 1 INTO newest FROM device_walk;
  FOR walk IN
    SELECT * FROM device_walk w
    WHERE lanes = 1 OR log.lane(w.device_id) % lanes = own   -- not worked out for each where there is one lane
    ORDER BY turn, app_id, device_id LIMIT rows_left
  LOOP
    EXIT WHEN rows_left <= 0;
    IF NOT walk.is_surrogate AND log.is_surrogate(walk.device_id) THEN
      -- The device was erased, and its notifications are in another order: from the beginning.
      walk.notification_id := '';
      walk.occurrence := '-infinity';
    END IF;
    seen := 0;
    FOR reached IN
      SELECT n.notification_id, n.occurrence
      FROM notification n
      WHERE (n.app_id, n.device_id) = (walk.app_id, walk.device_id)
        AND (n.notification_id, n.occurrence) > (walk.notification_id, walk.occurrence)
      ORDER BY n.app_id, n.device_id, n.notification_id, n.occurrence
      LIMIT rows_left
    LOOP
      seen := seen + 1;
      last := reached;
      app_id := walk.app_id;
      device_id := walk.device_id;
      notification_id := reached.notification_id;
      occurrence := reached.occurrence;
      is_erased := walk.is_erased;
      RETURN NEXT;
    END LOOP;

    IF seen = rows_left THEN
      UPDATE device_walk w
      SET turn = newest, notification_id = last.notification_id, occurrence = last.occurrence,
        is_surrogate = log.is_surrogate(walk.device_id)
      WHERE (w.app_id, w.device_id) = (walk.app_id, walk.device_id);
    ELSIF walk.next_after IS NULL THEN
      DELETE FROM device_walk w WHERE (w.app_id, w.device_id) = (walk.app_id, walk.device_id);
    ELSE
      -- Behind a walk that this slice leaves in the midst, or one that begins again and again would go before it.
      UPDATE device_walk w
      SET turn = newest + 1, after_position = walk.next_after, next_after = NULL, notification_id = '', occurrence = '-infinity',
        is_surrogate = log.is_surrogate(walk.device_id)
      WHERE (w.app_id, w.device_id) = (walk.app_id, walk.device_id);
    END IF;
    rows_left := rows_left - greatest(seen, 1);
  END LOOP;
END $$;

-- The next slice of the walks of apps whose categories changed: the notifications that a change of their category bears on, no more
-- than a slice has, all apps together. It goes past five times a whole slice at most: these cost a look each. An event that comes meanwhile
-- derives its notification by the category as it is, so a notification that is not there yet, or moves, needs no second look.
CREATE OR REPLACE FUNCTION notification_slice(rows_limit integer)
RETURNS TABLE (app_id integer, device_id text, notification_id text, occurrence timestamptz)
-- By the primary key, in its order, whatever the planner believes.
LANGUAGE plpgsql SET enable_seqscan = off SET enable_sort = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
  rows_left integer := slice_rows(rows_limit);   -- to return
  looks_left integer := 5 * slice_rows(NULL);
  own       constant smallint := projection.current_lane();
  lanes     constant smallint := projection.current_lanes();
  newest    bigint;
  walk      category_walk;
  reached   record;
  last      record;
  seen      integer;
BEGIN
  IF NOT EXISTS (SELECT FROM category_walk w WHERE w.lane = own) THEN
    RETURN;
  END IF;
  SELECT max(turn) + 1 INTO newest FROM category_walk w WHERE w.lane = own;
  FOR walk IN SELECT * FROM category_walk w WHERE w.lane = own ORDER BY turn, app_id LOOP
    EXIT WHEN rows_left <= 0 OR looks_left <= 0;
    IF NOT walk.is_surrogate AND log.is_surrogate(walk.device_id) THEN
      -- That device was erased, and stands elsewhere in the order: from the beginning.
      walk.device_id := '';
      walk.notification_id := '';
      walk.occurrence := '-infinity';
    END IF;
    seen := 0;
    FOR reached IN
      SELECT n.device_id, n.notification_id, n.occurrence, n.occurrence <> 'infinity' AND log.lane(n.device_id) % lanes = own AND EXISTS (
          SELECT FROM category_change c
          WHERE (c.app_id, c.category_id, c.number, c.lane) = (walk.app_id, n.category, walk.number, own)
            AND (c.app_versions IS NULL OR n.app_version = ANY (c.app_versions)
              OR c.others AND NOT category_has_version(walk.app_id, n.category, n.app_version, own))) AS changes
      FROM notification n
      WHERE n.app_id = walk.app_id AND (n.app_id, n.device_id, n.notification_id, n.occurrence)
        > (walk.app_id, walk.device_id, walk.notification_id, walk.occurrence)
      ORDER BY n.app_id, n.device_id, n.notification_id, n.occurrence
      LIMIT looks_left
    LOOP
      seen := seen + 1;
      last := reached;
      IF reached.changes THEN
        app_id := walk.app_id;
        device_id := reached.device_id;
        notification_id := reached.notification_id;
        occurrence := reached.occurrence;
        RETURN NEXT;
        rows_left := rows_left - 1;
        EXIT WHEN rows_left = 0;
      END IF;
    END LOOP;

    looks_left := looks_left - seen;
    IF rows_left = 0 OR looks_left = 0 THEN
      UPDATE category_walk w
      SET turn = newest, device_id = last.device_id, notification_id = last.notification_id,
        occurrence = last.occurrence, is_surrogate = log.is_surrogate(last.device_id)
      WHERE (w.app_id, w.lane) = (walk.app_id, own);
    ELSE
      DELETE FROM category_change c WHERE (c.app_id, c.number, c.lane) = (walk.app_id, walk.number, own);
      IF walk.next_after IS NULL THEN
        DELETE FROM category_walk w WHERE (w.app_id, w.lane) = (walk.app_id, own);
      ELSE
        UPDATE category_walk w   -- as for devices
        SET turn = newest + 1, number = walk.number + 1, after_position = walk.next_after, next_after = NULL, device_id = '',
          notification_id = '', occurrence = '-infinity', is_surrogate = false
        WHERE (w.app_id, w.lane) = (walk.app_id, own);
      END IF;
    END IF;
    looks_left := looks_left - 1;   -- for the walk itself
  END LOOP;
END $$;

-- Goes past the next notification of the slices, which cannot be updated, and records it. False if so many were recorded with
-- the same error already: then the projection is at fault.
CREATE OR REPLACE FUNCTION skip_notification(state text, message text, most integer) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) >= most FROM skipped_notification s WHERE s.sqlstate = state) THEN
    RETURN false;
  END IF;
  INSERT INTO skipped_notification AS s
  SELECT d.app_id, d.device_id, d.notification_id, d.occurrence, state, message FROM device_slice(1) d
  ON CONFLICT (app_id, device_id, notification_id, occurrence) DO UPDATE SET sqlstate = state, error = message;
  IF NOT FOUND THEN
    INSERT INTO skipped_notification AS s
    SELECT n.app_id, n.device_id, n.notification_id, n.occurrence, state, message FROM notification_slice(1) n
    ON CONFLICT (app_id, device_id, notification_id, occurrence) DO UPDATE SET sqlstate = state, error = message;
  END IF;
  RETURN true;
END $$;

-- Begins walks of the devices with notifications that were gone past, which count as updated no longer. Returns their number.
CREATE OR REPLACE FUNCTION retry_skipped() RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  number bigint;
BEGIN
  PERFORM walk_devices(array_agg(d.app_id), array_agg(d.device_id), array_agg(true), 0)
  FROM (SELECT DISTINCT app_id, device_id FROM skipped_notification) d
  HAVING count(*) > 0;
  DELETE FROM skipped_notification;
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN number;
END $$;

-- Whether a notification alerts.
CREATE OR REPLACE FUNCTION is_alerting(n notification) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$ SELECT n.alerting $$;
