-- Notifications reached by some campaigns before `to_at`, from 31 days before the start of its UTC day on: what the report campaigns
-- counts before its range.
CREATE OR REPLACE FUNCTION reporting.campaigns_before_counts(app_number integer, campaigns text[], to_at timestamptz)
RETURNS TABLE (campaign text, reached bigint)
LANGUAGE plpgsql STABLE ROWS 1000 SET jit = off SET enable_sort = off SET work_mem = '64MB' AS $$
BEGIN
  RETURN QUERY EXECUTE $query$
    SELECT campaign, sum(b.reached)::bigint
    FROM (
      SELECT e.value AS campaign, e.reached
      FROM projection.engagement e
      WHERE e.app_id = $1 AND e.dimension = 'campaign' AND e.grain = 'day' AND e.bucket >= $4 - interval '744 hours' AND e.bucket < $4
      UNION ALL
      SELECT n.campaign, 1
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at >= $4 AND n.cohort_at < $3 AND (n.reached_seen OR n.reached_assumed)
    ) b
    JOIN unnest($2) AS k (campaign) USING (campaign)
    GROUP BY campaign
  $query$
  USING app_number, campaigns, to_at, date_trunc('day', to_at, 'UTC');
END $$;
