-- The rows of dropped events are counted for the report experiment too (variant_day, variant_crossed, variant_pair), as they
-- can't be computed again. The group's baseline is registered again by the next retention, once the group is rebuilt.
DO $$
BEGIN
  IF to_regclass('baseline.notification') IS NULL THEN
    RETURN;
  END IF;
  CREATE TABLE baseline.variant_day (
    app_id        integer          NOT NULL,
    device_id     text COLLATE "C" NOT NULL,
    category      text COLLATE "C" NOT NULL,
    campaign      text COLLATE "C" NOT NULL,
    variant       text COLLATE "C" NOT NULL,
    day           timestamptz      NOT NULL,
    notifications bigint           NOT NULL,
    reached       bigint           NOT NULL,
    within_1h     bigint           NOT NULL,
    within_6h     bigint           NOT NULL,
    within_1d     bigint           NOT NULL,
    within_3d     bigint           NOT NULL,
    within_7d     bigint           NOT NULL,
    within_30d    bigint           NOT NULL,
    PRIMARY KEY (app_id, device_id, category, campaign, variant, day)
  ) WITH (fillfactor = 85);
  INSERT INTO baseline.variant_day
  SELECT app_id, device_id, category, campaign, variant, day, count(*), count(*) FILTER (WHERE is_reached),
    count(*) FILTER (WHERE is_reached AND latency <= interval '1 hour'),
    count(*) FILTER (WHERE is_reached AND latency <= interval '6 hours'),
    count(*) FILTER (WHERE is_reached AND latency <= interval '24 hours'),
    count(*) FILTER (WHERE is_reached AND latency <= interval '72 hours'),
    count(*) FILTER (WHERE is_reached AND latency <= interval '168 hours'),
    count(*) FILTER (WHERE is_reached AND latency <= interval '720 hours')
  FROM (
    SELECT n.app_id, n.device_id, coalesce(n.category, '') AS category, coalesce(n.campaign, '') AS campaign, n.variant,
      date_bin('1 day', n.cohort_at, 'epoch') AS day, n.reached_seen OR n.reached_assumed AS is_reached,
      n.responded_at - coalesce(n.shown_at, n.cohort_at) AS latency
    FROM baseline.notification n
    WHERE n.cohort_at IS NOT NULL AND n.variant IS NOT NULL AND NOT n.response_only
  ) one
  GROUP BY 1, 2, 3, 4, 5, 6;

  CREATE TABLE baseline.variant_crossed (
    app_id    integer          NOT NULL,
    category  text COLLATE "C" NOT NULL,
    campaign  text COLLATE "C" NOT NULL,
    device_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (app_id, category, campaign, device_id)
  );
  INSERT INTO baseline.variant_crossed
  SELECT app_id, category, campaign, device_id
  FROM baseline.variant_day
  GROUP BY 1, 2, 3, 4
  HAVING min(variant) <> max(variant);

  CREATE TABLE baseline.variant_pair (
    app_id             integer          NOT NULL,
    category           text COLLATE "C" NOT NULL,
    campaign           text COLLATE "C" NOT NULL,
    variant            text COLLATE "C" NOT NULL,
    day                timestamptz      NOT NULL,
    other_day          timestamptz      NOT NULL,
    entries            bigint           NOT NULL,
    devices            bigint           NOT NULL,
    reached_devices    bigint           NOT NULL,
    reached            bigint           NOT NULL,
    within_1h          bigint           NOT NULL,
    within_6h          bigint           NOT NULL,
    within_1d          bigint           NOT NULL,
    within_3d          bigint           NOT NULL,
    within_7d          bigint           NOT NULL,
    within_30d         bigint           NOT NULL,
    reached_reached    bigint           NOT NULL,
    reached_within_1h  bigint           NOT NULL,
    reached_within_6h  bigint           NOT NULL,
    reached_within_1d  bigint           NOT NULL,
    reached_within_3d  bigint           NOT NULL,
    reached_within_7d  bigint           NOT NULL,
    reached_within_30d bigint           NOT NULL,
    within_within_1h   bigint           NOT NULL,
    within_within_6h   bigint           NOT NULL,
    within_within_1d   bigint           NOT NULL,
    within_within_3d   bigint           NOT NULL,
    within_within_7d   bigint           NOT NULL,
    within_within_30d  bigint           NOT NULL,
    lane               smallint         NOT NULL DEFAULT 0,
    PRIMARY KEY (app_id, day, category, campaign, variant, other_day, lane)
  ) WITH (fillfactor = 70);
  INSERT INTO baseline.variant_pair
  SELECT app_id, category, campaign, variant, day, other_day, count(*), sum(devices), sum(reached_devices), sum(reached),
    sum(w[1]), sum(w[2]), sum(w[3]), sum(w[4]), sum(w[5]), sum(w[6]), sum(mm),
    sum(mx[1]), sum(mx[2]), sum(mx[3]), sum(mx[4]), sum(mx[5]), sum(mx[6]),
    sum(xx[1]), sum(xx[2]), sum(xx[3]), sum(xx[4]), sum(xx[5]), sum(xx[6])
  FROM (
    SELECT app_id, category, campaign, variant, day,
      coalesce(lag(day) OVER device, '-infinity') AS other_day, 1 AS devices, 0 AS reached_devices, 0 AS reached,
      '{0,0,0,0,0,0}'::bigint[] AS w, 0 AS mm, '{0,0,0,0,0,0}'::bigint[] AS mx, '{0,0,0,0,0,0}'::bigint[] AS xx
    FROM baseline.variant_day
    WINDOW device AS (PARTITION BY app_id, device_id, category, campaign, variant ORDER BY day)
    UNION ALL
    SELECT app_id, category, campaign, variant, day,
      coalesce(lag(day) OVER device, '-infinity'), 0, 1, 0, '{0,0,0,0,0,0}', 0, '{0,0,0,0,0,0}', '{0,0,0,0,0,0}'
    FROM baseline.variant_day
    WHERE reached > 0
    WINDOW device AS (PARTITION BY app_id, device_id, category, campaign, variant ORDER BY day)
    UNION ALL
    SELECT app_id, category, campaign, variant, day, '-infinity', 0, 0, reached,
      ARRAY[within_1h, within_6h, within_1d, within_3d, within_7d, within_30d], 0, '{0,0,0,0,0,0}', '{0,0,0,0,0,0}'
    FROM baseline.variant_day
    WHERE reached > 0
    UNION ALL
    SELECT a.app_id, a.category, a.campaign, a.variant, a.day, b.day, 0, 0, 0, '{0,0,0,0,0,0}', f.times * a.reached * b.reached,
      ARRAY[a.reached * b.within_1h + f.cross * a.within_1h * b.reached, a.reached * b.within_6h + f.cross * a.within_6h * b.reached,
        a.reached * b.within_1d + f.cross * a.within_1d * b.reached, a.reached * b.within_3d + f.cross * a.within_3d * b.reached,
        a.reached * b.within_7d + f.cross * a.within_7d * b.reached, a.reached * b.within_30d + f.cross * a.within_30d * b.reached],
      ARRAY[f.times * a.within_1h * b.within_1h, f.times * a.within_6h * b.within_6h, f.times * a.within_1d * b.within_1d,
        f.times * a.within_3d * b.within_3d, f.times * a.within_7d * b.within_7d, f.times * a.within_30d * b.within_30d]
    FROM baseline.variant_day a
    JOIN baseline.variant_day b USING (app_id, device_id, category, campaign, variant)
    CROSS JOIN LATERAL (SELECT CASE WHEN a.day = b.day THEN 1 ELSE 2 END AS times, CASE WHEN a.day = b.day THEN 0 ELSE 1 END AS "cross") f
    WHERE a.reached > 0 AND b.reached > 0 AND b.day <= a.day AND a.day - b.day <= interval '2208 hours'
  ) part
  GROUP BY 1, 2, 3, 4, 5, 6;
  DELETE FROM projection.version WHERE (schema_name, leader) = ('baseline', 'notification');
END $$;

-- The same of actions, removals and runs of service extensions, for the reports of these.
DO $$
DECLARE
  bounds bigint[];
BEGIN
  IF to_regclass('baseline.cohort_action') IS NULL THEN
    RETURN;
  END IF;
  bounds := projection.latency_bounds();
  CREATE TABLE baseline.cohort_extension_count (
    app_id             integer          NOT NULL,
    bucket             timestamptz      NOT NULL,
    app_version        text COLLATE "C" NOT NULL,
    outcome            text COLLATE "C" NOT NULL,
    reached            boolean          NOT NULL,
    within             smallint         NOT NULL,
    runs               bigint           NOT NULL,
    attachments_loaded bigint           NOT NULL,
    loaded_runs        bigint           NOT NULL,
    attachments_failed bigint           NOT NULL,
    failed_runs        bigint           NOT NULL,
    lane               smallint         NOT NULL DEFAULT 0,
    PRIMARY KEY (app_id, bucket, app_version, outcome, reached, within, lane)
  ) WITH (fillfactor = 70);
  INSERT INTO baseline.cohort_extension_count
  SELECT app_id, date_bin('1 day', cohort_at, 'epoch'), coalesce(app_version, ''), coalesce(outcome, ''), reached,
    (CASE
    WHEN latency IS NULL THEN 0
    WHEN latency <= interval '1 hour' THEN 1
    WHEN latency <= interval '6 hours' THEN 2
    WHEN latency <= interval '24 hours' THEN 3
    WHEN latency <= interval '72 hours' THEN 4
    WHEN latency <= interval '168 hours' THEN 5
    WHEN latency <= interval '720 hours' THEN 6
    ELSE 7 END)::smallint, count(*), coalesce(sum(attachments_loaded), 0), count(attachments_loaded),
    coalesce(sum(attachments_failed), 0), count(attachments_failed)
  FROM baseline.cohort_extension
  WHERE cohort_at IS NOT NULL
  GROUP BY 1, 2, 3, 4, 5, 6;

  CREATE TABLE baseline.cohort_extension_duration (
    app_id      integer          NOT NULL,
    bucket      timestamptz      NOT NULL,
    app_version text COLLATE "C" NOT NULL,
    duration_ms integer          NOT NULL,
    runs        bigint           NOT NULL,
    lane        smallint         NOT NULL DEFAULT 0,
    PRIMARY KEY (app_id, bucket, app_version, duration_ms, lane)
  ) WITH (fillfactor = 70);
  INSERT INTO baseline.cohort_extension_duration
  SELECT app_id, date_bin('1 day', cohort_at, 'epoch'), coalesce(app_version, ''), duration_ms, count(*)
  FROM baseline.cohort_extension
  WHERE cohort_at IS NOT NULL AND duration_ms IS NOT NULL
  GROUP BY 1, 2, 3, 4;

  CREATE TABLE baseline.cohort_action_count (
    app_id        integer          NOT NULL,
    bucket        timestamptz      NOT NULL,
    category      text COLLATE "C" NOT NULL,
    action_id     text COLLATE "C" NOT NULL,
    is_dismissal  boolean          NOT NULL,
    app_version   text COLLATE "C" NOT NULL,
    counts        boolean          NOT NULL,
    response_only boolean          NOT NULL,
    within        smallint         NOT NULL,
    notifications bigint           NOT NULL,
    presses       bigint           NOT NULL,
    lane          smallint         NOT NULL DEFAULT 0,
    PRIMARY KEY (app_id, bucket, category, action_id, is_dismissal, app_version, counts, response_only, within, lane)
  ) WITH (fillfactor = 70);
  INSERT INTO baseline.cohort_action_count
  SELECT app_id, date_bin('1 day', cohort_at, 'epoch'), coalesce(category, ''), action_id, is_dismissal, coalesce(app_version, ''), counts,
    response_only, (CASE
    WHEN (first_at - coalesce(shown_at, cohort_at)) IS NULL THEN 0
    WHEN (first_at - coalesce(shown_at, cohort_at)) <= interval '1 hour' THEN 1
    WHEN (first_at - coalesce(shown_at, cohort_at)) <= interval '6 hours' THEN 2
    WHEN (first_at - coalesce(shown_at, cohort_at)) <= interval '24 hours' THEN 3
    WHEN (first_at - coalesce(shown_at, cohort_at)) <= interval '72 hours' THEN 4
    WHEN (first_at - coalesce(shown_at, cohort_at)) <= interval '168 hours' THEN 5
    WHEN (first_at - coalesce(shown_at, cohort_at)) <= interval '720 hours' THEN 6
    ELSE 7 END)::smallint, count(*), sum(presses)
  FROM baseline.cohort_action
  WHERE cohort_at IS NOT NULL
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;

  CREATE TABLE baseline.cohort_action_latency (
    app_id        integer          NOT NULL,
    bucket        timestamptz      NOT NULL,
    category      text COLLATE "C" NOT NULL,
    action_id     text COLLATE "C" NOT NULL,
    is_dismissal  boolean          NOT NULL,
    latency       integer          NOT NULL,
    notifications bigint           NOT NULL,
    lane          smallint         NOT NULL DEFAULT 0,
    PRIMARY KEY (app_id, bucket, category, action_id, is_dismissal, latency, lane)
  ) WITH (fillfactor = 70);
  INSERT INTO baseline.cohort_action_latency
  SELECT app_id, date_bin('1 day', cohort_at, 'epoch'), coalesce(category, ''), action_id, is_dismissal,
    width_bucket((extract(epoch FROM greatest(first_at - shown_at, '0')) * 1000000)::bigint - 1, bounds), count(*)
  FROM baseline.cohort_action
  WHERE cohort_at IS NOT NULL AND shown_at IS NOT NULL AND NOT response_only
  GROUP BY 1, 2, 3, 4, 5, 6;

  CREATE TABLE baseline.cohort_removal_count (
    app_id        integer          NOT NULL,
    bucket        timestamptz      NOT NULL,
    category      text COLLATE "C" NOT NULL,
    reason        text COLLATE "C" NOT NULL,
    pending       boolean          NOT NULL,
    delivered     boolean          NOT NULL,
    unstated      boolean          NOT NULL,
    withdrawn     boolean          NOT NULL,
    responded     boolean          NOT NULL,
    latency       integer          NOT NULL,
    notifications bigint           NOT NULL,
    lane          smallint         NOT NULL DEFAULT 0,
    PRIMARY KEY (app_id, bucket, category, reason, pending, delivered, unstated, withdrawn, responded, latency, lane)
  ) WITH (fillfactor = 70);
  INSERT INTO baseline.cohort_removal_count
  SELECT app_id, date_bin('1 day', cohort_at, 'epoch'), coalesce(category, ''), reason, pending_at IS NOT NULL, delivered_at IS NOT NULL,
    unstated_at IS NOT NULL, withdrawn AND pending_at IS NOT NULL, responded,
    CASE WHEN delivered_at IS NOT NULL AND shown_at IS NOT NULL
      THEN width_bucket((extract(epoch FROM greatest(delivered_at - shown_at, '0')) * 1000000)::bigint - 1, bounds) ELSE -1 END, count(*)
  FROM baseline.cohort_removal
  WHERE cohort_at IS NOT NULL
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10;
  DELETE FROM projection.version WHERE (schema_name, leader) = ('baseline', 'notification');
END $$;
