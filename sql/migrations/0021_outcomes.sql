-- The rows of dropped events are counted by their outcome too (cohort_outcome), as they can't be computed again. The group's
-- baseline is registered again by the next retention, once the group is rebuilt.
DO $$
DECLARE
  bounds bigint[];
BEGIN
  IF to_regclass('baseline.notification') IS NULL THEN
    RETURN;
  END IF;
  ALTER TABLE baseline.notification ADD COLUMN removed_at timestamptz, ADD COLUMN gone_at timestamptz;
  UPDATE baseline.notification n
  SET removed_at = r.removed_at, gone_at = r.gone_at
  FROM (
    SELECT app_id, device_id, notification_id, occurrence, min(delivered_at) FILTER (WHERE reason <> 'gone') AS removed_at,
      min(delivered_at) FILTER (WHERE reason = 'gone') AS gone_at
    FROM baseline.cohort_removal
    WHERE reason <> 'replaced' AND delivered_at IS NOT NULL
    GROUP BY 1, 2, 3, 4
  ) r
  WHERE (r.app_id, r.device_id, r.notification_id, r.occurrence) = (n.app_id, n.device_id, n.notification_id, n.occurrence);

  SELECT array_agg(bound ORDER BY bound) INTO bounds
  FROM (
    SELECT unnest(projection.latency_bounds()) AS bound
    UNION
    SELECT unnest('{60000000,300000000,900000000,7776000000000}'::bigint[])
  ) b;
  CREATE TABLE baseline.cohort_outcome (
    app_id        integer          NOT NULL,
    bucket        timestamptz      NOT NULL,
    shown_day     timestamptz      NOT NULL,
    category      text COLLATE "C" NOT NULL,
    outcome       text COLLATE "C" NOT NULL,
    latency       integer          NOT NULL,
    notifications bigint           NOT NULL,
    dismiss_observable bigint      NOT NULL,
    PRIMARY KEY (app_id, bucket, shown_day, category, outcome, latency)
  ) WITH (fillfactor = 70);
  INSERT INTO baseline.cohort_outcome
  SELECT app_id, date_bin('1 day', cohort_at, 'epoch'), date_bin('1 day', shown_at, 'epoch'), coalesce(category, ''),
    CASE ended_at
      WHEN responded_at THEN CASE WHEN opened THEN 'opened' WHEN replied THEN 'replied' ELSE 'acted' END
      WHEN dismissed_at THEN 'dismissed'
      WHEN removed_at THEN 'withdrawn'
      WHEN gone_at THEN 'gone'
      ELSE '' END,
    CASE WHEN ended_at IS NULL THEN 0
      ELSE width_bucket((extract(epoch FROM greatest(ended_at - shown_at, '0')) * 1000000)::bigint - 1, bounds) END,
    count(*), count(*) FILTER (WHERE dismiss_observable)
  FROM (
    SELECT n.*, least(n.responded_at, n.dismissed_at, n.removed_at, n.gone_at) AS ended_at
    FROM baseline.notification n
    WHERE (n.reached_seen OR n.reached_assumed) AND n.shown_at IS NOT NULL
  ) ended
  GROUP BY 1, 2, 3, 4, 5, 6;
  DELETE FROM projection.version WHERE (schema_name, leader) = ('baseline', 'notification');
END $$;
