-- oldest service: 21
-- Removals tell apart the notifications that are known only by their response. The baseline has the row of each notification
-- that it holds a removal of, so what its rollup lacks is counted again. It is registered again by the next retention, once the
-- group is rebuilt.
DO $$
DECLARE
  bounds bigint[];
BEGIN
  IF to_regclass('baseline.cohort_removal_count') IS NULL THEN
    RETURN;
  END IF;
  bounds := projection.latency_bounds();
  ALTER TABLE baseline.cohort_removal ADD COLUMN response_only boolean;
  UPDATE baseline.cohort_removal r SET response_only = n.response_only
  FROM baseline.notification n
  WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = (r.app_id, r.device_id, r.notification_id, r.occurrence);

  DROP TABLE baseline.cohort_removal_count;
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
    response_only boolean          NOT NULL,
    latency       integer          NOT NULL,
    notifications bigint           NOT NULL,
    lane          smallint         NOT NULL DEFAULT 0,
    PRIMARY KEY (
      app_id, bucket, category, reason, pending, delivered, unstated, withdrawn, responded, response_only, latency, lane)
  ) WITH (fillfactor = 70);
  INSERT INTO baseline.cohort_removal_count
  SELECT app_id, date_bin('1 day', cohort_at, 'epoch'), coalesce(category, ''), reason, pending_at IS NOT NULL, delivered_at IS NOT NULL,
    unstated_at IS NOT NULL, withdrawn AND pending_at IS NOT NULL, responded, response_only,
    CASE WHEN delivered_at IS NOT NULL AND shown_at IS NOT NULL
      THEN width_bucket((extract(epoch FROM greatest(delivered_at - shown_at, '0')) * 1000000)::bigint - 1, bounds) ELSE -1 END, count(*)
  FROM baseline.cohort_removal
  WHERE cohort_at IS NOT NULL
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11;
  DELETE FROM projection.version WHERE (schema_name, leader) = ('baseline', 'notification');
END $$;
