-- Changes of settings, each with the notifications before it, and events that count for the notification before them: what the report
-- opt_outs counts.
--
-- Intervals begin at `starts` and end at `to_at`; `slot` is the number of one. What no notification came before is not `attributed`.
-- `categories` are those of the notifications, '' for none. Where `what` is a setting, the row is one change: `gap` is the time between
-- the two snapshots around it, `share` what each notification has of it, and `numbers` how many are of each category; a change shared
-- among notifications of several intervals has a row in each. Where `what` is open_settings or died, `numbers` are of events, and
-- `gap` and `share` null.
CREATE OR REPLACE FUNCTION reporting.opt_outs_counts(
  app_number integer, starts timestamptz[], to_at timestamptz, "window" interval, filters jsonb, as_of timestamptz)
RETURNS TABLE (
  slot integer, attributed boolean, what text, gap interval, share numeric, categories text[], numbers bigint[])
LANGUAGE plpgsql STABLE SET jit = off SET enable_sort = off SET work_mem = '64MB' AS $$
DECLARE
  conditions text := reporting.row_filter(filters, reporting.notification_dimensions(app_number), '$6');
BEGIN
  RETURN QUERY EXECUTE format($query$
    WITH shared AS MATERIALIZED (   -- each change's share of each notification, or the change alone
      SELECT s.*, coalesce(s.cohort_at, s.changed_at) AS at FROM reporting.setting_shares($1, $7, $2[1], $5, $6 <> '{}') s
    ), happened AS (   -- what counts for the notification before it; when something did before, on the same device
      SELECT what, device_id, at, lag(at) OVER (PARTITION BY device_id ORDER BY at) AS previous_at
      FROM (
        SELECT 'open_settings' AS what, o.device_id, o.at FROM projection.open_settings o WHERE o.app_id = $1 AND o.at <= $5
        UNION ALL
        SELECT 'died', d.device_id, d.ended_at
        FROM (   -- once, with a topic and without one, and in whatever environments it was registered
          SELECT DISTINCT t.device_id, t.provider, t.token, t.ended_at
          FROM projection.device_token t
          WHERE t.app_id = $1 AND t.state = 'invalidated' AND t.type = 'alert' AND t.ended_at <= $5 %2$s
            AND EXISTS (
              SELECT FROM projection.token_event e
              WHERE (e.app_id, e.token, e.provider, e.at, e.what) = (t.app_id, t.token, t.provider, t.ended_at, 'dead'))
        ) d
      ) h
      WHERE at >= $2[1]
    ), found AS MATERIALIZED (   -- the latest notification since that, so that none is read twice, and how many of these there were by then
      SELECT h.what, h.device_id, h.at, n.notification_id, n.occurrence, n.cohort_at, n.category,
        count(n.cohort_at) OVER (PARTITION BY h.device_id ORDER BY h.at) AS number
      FROM happened h
      LEFT JOIN LATERAL (
        SELECT n.notification_id, n.occurrence, n.cohort_at, n.category
        FROM projection.notification n
        WHERE n.app_id = $1 AND n.device_id = h.device_id AND n.cohort_at > greatest(h.at - $4, h.previous_at)
          AND n.cohort_at <= h.at AND (n.reached_seen OR n.reached_assumed)
        ORDER BY n.cohort_at DESC, n.notification_id DESC, n.occurrence DESC
        LIMIT 1
      ) n ON true
    ), apart AS MATERIALIZED (   -- where there was none since, the one found last, if it is near enough
      SELECT what, device_id, CASE WHEN is_near THEN notification_id END AS notification_id,
        CASE WHEN is_near THEN occurrence END AS occurrence, CASE WHEN is_near THEN cohort_at END AS cohort_at,
        CASE WHEN is_near THEN category END AS category, CASE WHEN is_near THEN cohort_at ELSE at END AS at
      FROM (
        SELECT what, device_id, at, max(notification_id) OVER latest AS notification_id, max(occurrence) OVER latest AS occurrence,
          max(cohort_at) OVER latest AS cohort_at, max(category) OVER latest AS category,
          coalesce(max(cohort_at) OVER latest > at - $4, false) AS is_near
        FROM found
        WINDOW latest AS (PARTITION BY device_id, number)   -- has one notification, or with number 0 none
      ) f
    ), bearing AS (
      SELECT change, device_id, notification_id, occurrence, cohort_at, category, at, setting AS what, changed_at - unchanged_at AS gap,
        coalesce(share, 1) AS share
      FROM shared WHERE at >= $2[1] AND at < $3
      UNION ALL
      SELECT NULL, device_id, notification_id, occurrence, cohort_at, category, at, what, NULL, NULL
      FROM apart WHERE at >= $2[1] AND at < $3
    ), told AS (
      SELECT width_bucket(b.at, $2) AS slot, b.cohort_at IS NOT NULL AS attributed, b.what, b.gap, b.share, b.change,
        coalesce(b.category, '') AS category, count(*) AS number
      FROM bearing b
      %1$s
      GROUP BY 1, 2, 3, 4, 5, 6, 7
    )
    SELECT slot, attributed, what, gap, share, array_agg(category), array_agg(number)
    FROM told
    GROUP BY slot, attributed, what, gap, share, change
  $query$,
    -- Only filters need the notifications, which changes alone do not have.
    CASE WHEN filters <> '{}' THEN 'CROSS JOIN LATERAL (   -- OFFSET keeps it to one look-up each
        SELECT * FROM projection.notification n
        WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = ($1, b.device_id, b.notification_id, b.occurrence)
        OFFSET 0
      ) n WHERE ' || conditions ELSE '' END,
    CASE WHEN log.is_alone() THEN '' ELSE 'AND log.is_own(t.device_id)' END)
  USING app_number, starts, to_at, "window", as_of, filters, projection.turned_down_settings();
END $$;
