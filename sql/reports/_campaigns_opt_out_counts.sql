-- Changes of permission to denied after notifications of campaigns, each shared out over the notifications that may be why: what the
-- report campaigns counts as opt-outs. `campaign` is null for all that are not among `campaigns`.
CREATE OR REPLACE FUNCTION reporting.campaigns_opt_out_counts(
  app_number integer, campaigns text[], search text, from_at timestamptz, to_at timestamptz, filters jsonb, as_of timestamptz)
RETURNS TABLE (campaign text, opt_outs numeric)
LANGUAGE plpgsql STABLE ROWS 1000 SET jit = off SET enable_sort = off SET work_mem = '64MB' AS $$
BEGIN
  RETURN QUERY EXECUTE format($query$
    SELECT k.campaign, sum(s.share)
    FROM reporting.setting_shares($1, '{authorization_status}', $4, $7, $6 <> '{}') s
    %s
    LEFT JOIN unnest($2) AS k (campaign) ON k.campaign = s.campaign
    WHERE s.campaign <> '' AND ($3 IS NULL OR position(lower($3) IN lower(s.campaign)) > 0)
      AND s.cohort_at >= $4 AND s.cohort_at < $5 AND %s
    GROUP BY 1
  $query$,
    -- Only filters need the notifications.
    CASE WHEN filters <> '{}' THEN
      'CROSS JOIN LATERAL (   -- OFFSET keeps it to one look-up each
        SELECT * FROM projection.notification n
        WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = ($1, s.device_id, s.notification_id, s.occurrence)
        OFFSET 0
      ) n' ELSE '' END,
    reporting.row_filter(filters, reporting.notification_dimensions(app_number), '$6'))
  USING app_number, campaigns, search, from_at, to_at, filters, as_of;
END $$;
