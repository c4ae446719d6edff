-- projection: cohort
-- with: notification
-- after: notification

-- The least of the windows that reports answer exactly that a response came in: 1 to 6 for 1 h, 6 h, 1, 3, 7 and 30 days,
-- 7 where it came later, 0 where none came.
CREATE OR REPLACE FUNCTION response_window(from_at timestamptz, to_at timestamptz) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (CASE
    WHEN to_at IS NULL THEN 0
    WHEN to_at - from_at <= interval '1 hour' THEN 1
    WHEN to_at - from_at <= interval '6 hours' THEN 2
    WHEN to_at - from_at <= interval '1 day' THEN 3
    WHEN to_at - from_at <= interval '3 days' THEN 4
    WHEN to_at - from_at <= interval '7 days' THEN 5
    WHEN to_at - from_at <= interval '30 days' THEN 6
    ELSE 7 END)::smallint
$$;

CREATE OR REPLACE FUNCTION cohort_apply(after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql SET client_min_messages = warning SET jit = off AS $$
BEGIN
  IF to_regclass('pg_temp.cohort_batch') IS NULL THEN
    CREATE TEMP TABLE cohort_batch (
      app_id integer, device_id text COLLATE "C", cohort_at timestamptz, time_zone text COLLATE "C", stages integer,
      within smallint, notifications bigint
    ) ON COMMIT DELETE ROWS;
    CREATE TEMP TABLE cohort_zone_batch ON COMMIT DELETE ROWS AS TABLE cohort_zone WITH NO DATA;
    CREATE TEMP TABLE cohort_stage_batch ON COMMIT DELETE ROWS AS TABLE cohort_stage WITH NO DATA;
    CREATE TEMP TABLE device_week_batch ON COMMIT DELETE ROWS AS TABLE device_week WITH NO DATA;
  END IF;
  IF EXISTS (SELECT FROM cohort_batch) THEN
    TRUNCATE cohort_batch, cohort_zone_batch, cohort_stage_batch, device_week_batch;
  END IF;

  INSERT INTO cohort_batch
  SELECT app_id, device_id, cohort_at, coalesce(time_zone, ''),
    projection.stage_bits(requested_at IS NOT NULL, reached_seen, reached_assumed, delivered, presented, responded, dismissed,
      withdrawn, suppressed, silent, failed, add_succeeded, push_answered, push_accepted, is_push, delivery_observable,
      coalesce(claimed(first_alerting), 'true') = 'true', reach_unknown),
    response_window(coalesce(shown_at, cohort_at), responded_at), sign
  FROM notification_change
  WHERE cohort_at IS NOT NULL;

  INSERT INTO cohort_zone_batch
  SELECT app_id, date_bin('15 minutes', cohort_at, 'epoch'), time_zone, within, sum(notifications)
  FROM cohort_batch
  WHERE stages & 6 <> 0
  GROUP BY 1, 2, 3, 4
  HAVING sum(notifications) <> 0;

  INSERT INTO cohort_zone AS c
  TABLE cohort_zone_batch
  ON CONFLICT (app_id, bucket, time_zone, within) DO UPDATE SET notifications = c.notifications + excluded.notifications;

  DELETE FROM cohort_zone c
  USING cohort_zone_batch b
  WHERE CASE c.notifications WHEN 0 THEN true END AND (c.app_id, c.bucket, c.time_zone, c.within) = (b.app_id, b.bucket, b.time_zone, b.within);

  INSERT INTO cohort_stage_batch
  SELECT app_id, date_bin('1 hour', cohort_at, 'epoch'), stages, within, sum(notifications)
  FROM cohort_batch
  GROUP BY 1, 2, 3, 4
  HAVING sum(notifications) <> 0;

  INSERT INTO cohort_stage AS c
  TABLE cohort_stage_batch
  ON CONFLICT (app_id, bucket, stages, within) DO UPDATE SET notifications = c.notifications + excluded.notifications;

  DELETE FROM cohort_stage c
  USING cohort_stage_batch b
  WHERE CASE c.notifications WHEN 0 THEN true END AND (c.app_id, c.bucket, c.stages, c.within) = (b.app_id, b.bucket, b.stages, b.within);

  INSERT INTO device_week_batch
  SELECT * FROM (
    SELECT app_id, device_id, date_bin('7 days', cohort_at, '1970-01-05T00:00:00Z') AS week, sum(notifications) AS reached,
      coalesce(sum(notifications) FILTER (WHERE within = 1), 0) AS within_1h,
      coalesce(sum(notifications) FILTER (WHERE within BETWEEN 1 AND 2), 0) AS within_6h,
      coalesce(sum(notifications) FILTER (WHERE within BETWEEN 1 AND 3), 0) AS within_1d,
      coalesce(sum(notifications) FILTER (WHERE within BETWEEN 1 AND 4), 0) AS within_3d,
      coalesce(sum(notifications) FILTER (WHERE within BETWEEN 1 AND 5), 0) AS within_7d,
      coalesce(sum(notifications) FILTER (WHERE within BETWEEN 1 AND 6), 0) AS within_30d
    FROM cohort_batch
    WHERE stages & 6 <> 0
    GROUP BY 1, 2, 3
  ) w
  WHERE (reached, within_1h, within_6h, within_1d, within_3d, within_7d, within_30d) <> (0, 0, 0, 0, 0, 0, 0)
  ORDER BY app_id, device_id, week;

  INSERT INTO device_week AS d
  TABLE device_week_batch
  ON CONFLICT (app_id, device_id, week) DO UPDATE SET
    reached = d.reached + excluded.reached,
    within_1h = d.within_1h + excluded.within_1h,
    within_6h = d.within_6h + excluded.within_6h,
    within_1d = d.within_1d + excluded.within_1d,
    within_3d = d.within_3d + excluded.within_3d,
    within_7d = d.within_7d + excluded.within_7d,
    within_30d = d.within_30d + excluded.within_30d;

  PERFORM projection.only_index_lookups(true);
  DELETE FROM device_week d
  USING device_week_batch b
  WHERE CASE d.reached WHEN 0 THEN true END AND b.reached < 0 AND (d.app_id, d.device_id, d.week) = (b.app_id, b.device_id, b.week);
  PERFORM projection.only_index_lookups(false);
END $$;
