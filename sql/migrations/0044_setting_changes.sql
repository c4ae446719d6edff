-- oldest service: 21
-- The settings that people turned down by dropped events are kept too (setting_change), as they can't be computed again. The group's
-- baseline is registered again by the next retention, once the group is rebuilt.
DO $$
BEGIN
  IF to_regclass('baseline.notification') IS NULL THEN
    RETURN;
  END IF;
  CREATE TABLE baseline.setting_change (
    app_id       integer          NOT NULL,
    device_id    text COLLATE "C" NOT NULL,
    setting      text COLLATE "C" NOT NULL,
    changed_at   timestamptz      NOT NULL,
    changed_id   uuid             NOT NULL,
    unchanged_at timestamptz      NOT NULL,
    cohort_ats   timestamptz[]    NOT NULL,
    categories   text[]           NOT NULL,
    campaigns    text[]           NOT NULL,
    PRIMARY KEY (app_id, device_id, setting, changed_at, changed_id)
  );
  CREATE INDEX setting_change_changed ON baseline.setting_change (app_id, changed_at);
  CREATE TABLE baseline.setting_excess (
    app_id    integer          NOT NULL,
    device_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (app_id, device_id)
  );
  INSERT INTO baseline.setting_excess
  SELECT app_id, device_id FROM baseline.device_period WHERE series = 'settings' GROUP BY 1, 2 HAVING count(*) > 100;

  INSERT INTO baseline.setting_change
  WITH said AS MATERIALIZED (   -- what each snapshot tells of each setting: 1 on, 0 off
    SELECT p.app_id, p.device_id, p.first_at, p.first_id, p.last_at, s.setting,
      CASE
        WHEN s.setting = 'authorization_status' THEN
          CASE p.status WHEN 'denied' THEN 0 WHEN 'authorized' THEN 1 WHEN 'provisional' THEN 1 WHEN 'ephemeral' THEN 1 END
        WHEN p.status IN ('authorized', 'ephemeral') THEN
          CASE p.value->>s.setting WHEN s.up THEN 1 WHEN s.down THEN 0 END
      END AS level
    FROM (SELECT *, value->>'authorization_status' AS status FROM baseline.device_period WHERE series = 'settings') p
    CROSS JOIN (VALUES
      ('authorization_status', '', ''), ('alert', 'enabled', 'disabled'), ('sound', 'enabled', 'disabled'),
      ('badge', 'enabled', 'disabled'), ('lock_screen', 'enabled', 'disabled'), ('notification_center', 'enabled', 'disabled'),
      ('time_sensitive', 'enabled', 'disabled'), ('scheduled_delivery', 'disabled', 'enabled')
    ) AS s (setting, up, down)
    WHERE NOT EXISTS (SELECT FROM baseline.setting_excess e WHERE (e.app_id, e.device_id) = (p.app_id, p.device_id))
  ), change AS MATERIALIZED (
    SELECT *
    FROM (
      SELECT app_id, device_id, setting, level, first_at AS changed_at, first_id AS changed_id,
        lag(level) OVER history AS previous, lag(last_at) OVER history AS unchanged_at
      FROM said
      WHERE level IS NOT NULL
      WINDOW history AS (PARTITION BY app_id, device_id, setting ORDER BY first_at, first_id)
    ) l
    WHERE level < previous
  )
  SELECT c.app_id, c.device_id, c.setting, c.changed_at, c.changed_id, c.unchanged_at,
    coalesce(array_agg(n.cohort_at ORDER BY n.cohort_at, n.category, n.campaign) FILTER (WHERE n.cohort_at IS NOT NULL), '{}'),
    coalesce(array_agg(n.category ORDER BY n.cohort_at, n.category, n.campaign) FILTER (WHERE n.cohort_at IS NOT NULL), '{}'),
    coalesce(array_agg(n.campaign ORDER BY n.cohort_at, n.category, n.campaign) FILTER (WHERE n.cohort_at IS NOT NULL), '{}')
  FROM change c
  LEFT JOIN LATERAL (
    SELECT n.cohort_at, coalesce(n.category, '') AS category, coalesce(n.campaign, '') AS campaign
    FROM baseline.notification n
    WHERE (n.app_id, n.device_id) = (c.app_id, c.device_id)
      AND n.cohort_at > c.unchanged_at AND n.cohort_at <= c.changed_at AND (n.reached_seen OR n.reached_assumed)
  ) n ON true
  GROUP BY 1, 2, 3, 4, 5, 6;

  INSERT INTO baseline.setting_excess
  SELECT app_id, device_id FROM baseline.setting_change GROUP BY 1, 2 HAVING sum(cardinality(cohort_ats)) > 1000;
  DELETE FROM baseline.setting_change c USING baseline.setting_excess e WHERE (e.app_id, e.device_id) = (c.app_id, c.device_id);
  DELETE FROM projection.version WHERE (schema_name, leader) = ('baseline', 'notification');
END $$;
