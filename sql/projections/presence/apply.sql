-- projection: presence
-- with: notification
-- after: notification

CREATE OR REPLACE FUNCTION presence_apply(after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql SET client_min_messages = warning SET jit = off AS $$
BEGIN
  IF to_regclass('pg_temp.presence_batch') IS NULL THEN
    CREATE TEMP TABLE presence_batch ON COMMIT DELETE ROWS AS
      SELECT app_id, device_id, category, what, day, notifications FROM presence WITH NO DATA;
    CREATE TEMP TABLE presence_known ON COMMIT DELETE ROWS AS TABLE presence WITH NO DATA;
    -- Rows that come (1) or go (-1), and the difference that they and their neighbours make to presence_count.
    CREATE TEMP TABLE presence_turn ON COMMIT DELETE ROWS AS SELECT 1 AS sign, p.* FROM presence p WITH NO DATA;
    CREATE TEMP TABLE presence_difference ON COMMIT DELETE ROWS AS TABLE presence_count WITH NO DATA;
  END IF;
  IF EXISTS (SELECT FROM presence_batch) OR EXISTS (SELECT FROM presence_turn) THEN
    TRUNCATE presence_batch, presence_known, presence_turn, presence_difference;
  END IF;

  INSERT INTO presence_batch
  SELECT app_id, device_id, category, w.what, day, w.notifications
  FROM (
    SELECT app_id, device_id, coalesce(category, '') AS category, date_bin('1 day', cohort_at, 'epoch') AS day,
      sum(sign) FILTER (WHERE reached_seen OR reached_assumed) AS reached, sum(sign) FILTER (WHERE responded) AS responded
    FROM notification_change
    WHERE cohort_at IS NOT NULL AND (reached_seen OR reached_assumed OR responded)
    GROUP BY 1, 2, 3, 4
  ) c
  CROSS JOIN LATERAL (VALUES ('reached', reached), ('responded', responded)) AS w (what, notifications)
  WHERE w.notifications <> 0;

  PERFORM projection.only_index_lookups(true);
  WITH known AS (
    UPDATE presence p
    SET notifications = p.notifications + b.notifications
    FROM presence_batch b
    WHERE (p.app_id, p.device_id, p.category, p.what, p.day) = (b.app_id, b.device_id, b.category, b.what, b.day)
    RETURNING p.*
  )
  INSERT INTO presence_known TABLE known;
  PERFORM projection.only_index_lookups(false);

  INSERT INTO presence_turn
  SELECT CASE WHEN k.app_id IS NULL THEN 1 ELSE -1 END, b.app_id, b.device_id, b.category, b.what, b.day,
    coalesce(k.notifications, b.notifications), k.previous_day
  FROM presence_batch b
  LEFT JOIN presence_known k USING (app_id, device_id, category, what, day)
  WHERE k.app_id IS NULL OR k.notifications = 0;

  PERFORM projection.only_index_lookups(true);
  DELETE FROM presence p
  USING presence_turn t
  WHERE t.sign = -1
    AND (p.app_id, p.device_id, p.category, p.what, p.day) = (t.app_id, t.device_id, t.category, t.what, t.day);

  WITH come AS (
    INSERT INTO presence
    SELECT app_id, device_id, category, what, day, notifications, greatest(lag(day) OVER before, (
      SELECT p.day FROM presence p
      WHERE (p.app_id, p.device_id, p.category, p.what) = (t.app_id, t.device_id, t.category, t.what) AND p.day < t.day
      ORDER BY p.day DESC LIMIT 1), '-infinity')
    FROM presence_turn t
    WHERE sign = 1
    WINDOW before AS (PARTITION BY app_id, device_id, category, what ORDER BY day)
    RETURNING *
  )
  INSERT INTO presence_difference
  SELECT app_id, day, what, category, previous_day, 1 FROM come
  UNION ALL
  SELECT app_id, day, what, category, previous_day, -1 FROM presence_turn WHERE sign = -1;

  -- The rows after those that came or went have another one before them, where they did not come with them.
  WITH next AS MATERIALIZED (
    SELECT DISTINCT n.*
    FROM presence_turn t
    CROSS JOIN LATERAL (
      SELECT p.* FROM presence p
      WHERE (p.app_id, p.device_id, p.category, p.what) = (t.app_id, t.device_id, t.category, t.what) AND p.day > t.day
      ORDER BY p.day LIMIT 1
    ) n
    WHERE CASE t.sign WHEN 1 THEN n.previous_day < t.day ELSE n.previous_day = t.day END
  ), follows AS MATERIALIZED (
    SELECT n.*, coalesce((
      SELECT p.day FROM presence p
      WHERE (p.app_id, p.device_id, p.category, p.what) = (n.app_id, n.device_id, n.category, n.what) AND p.day < n.day
      ORDER BY p.day DESC LIMIT 1), '-infinity') AS new_previous_day
    FROM next n
  ), moved AS (
    UPDATE presence p
    SET previous_day = f.new_previous_day
    FROM follows f
    WHERE (p.app_id, p.device_id, p.category, p.what, p.day) = (f.app_id, f.device_id, f.category, f.what, f.day)
      AND p.previous_day <> f.new_previous_day
  )
  INSERT INTO presence_difference
  SELECT f.app_id, f.day, f.what, f.category, x.previous_day, x.devices
  FROM follows f
  CROSS JOIN LATERAL (VALUES (f.new_previous_day, 1), (f.previous_day, -1)) AS x (previous_day, devices)
  WHERE f.previous_day <> f.new_previous_day;
  PERFORM projection.only_index_lookups(false);

  INSERT INTO presence_count AS c
  SELECT app_id, day, what, category, previous_day, sum(devices)
  FROM presence_difference
  GROUP BY 1, 2, 3, 4, 5
  HAVING sum(devices) <> 0
  ON CONFLICT (app_id, day, what, category, previous_day) DO UPDATE SET devices = c.devices + excluded.devices;

  DELETE FROM presence_count c
  USING presence_difference d
  WHERE CASE c.devices WHEN 0 THEN true END
    AND (c.app_id, c.day, c.what, c.category, c.previous_day) = (d.app_id, d.day, d.what, d.category, d.previous_day);
END $$;
