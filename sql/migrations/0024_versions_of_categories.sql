-- How many versions of an app registered each category and button is kept (category_versions), and counted here for the rows of
-- dropped events. The group's baseline is registered again by the next retention, once the group is rebuilt.
DO $$
BEGIN
  IF to_regclass('baseline.category') IS NULL THEN
    RETURN;
  END IF;
  CREATE TABLE baseline.category_versions (
    app_id         integer          NOT NULL,
    category_id    text COLLATE "C" NOT NULL,
    action_id      text COLLATE "C" NOT NULL,
    versions       bigint           NOT NULL,
    custom_dismiss bigint           NOT NULL,
    text_input     bigint           NOT NULL,
    foreground     bigint           NOT NULL,
    lane           smallint         NOT NULL DEFAULT 0,
    PRIMARY KEY (app_id, category_id, action_id, lane)
  ) WITH (fillfactor = 80);
  INSERT INTO baseline.category_versions
  SELECT app_id, category_id, '', count(*), count(*) FILTER (WHERE custom_dismiss), 0, 0
  FROM baseline.category
  GROUP BY app_id, category_id;
  INSERT INTO baseline.category_versions
  SELECT app_id, category_id, action_id, count(*), 0, count(*) FILTER (WHERE text_input), count(*) FILTER (WHERE foreground)
  FROM (
    SELECT c.app_id, c.category_id, c.app_version, a->>'id' AS action_id,
      bool_or(coalesce(a->>'type' = 'text_input', false)) AS text_input,
      bool_or(coalesce(a->'options' ? 'foreground', false)) AS foreground
    FROM baseline.category c, jsonb_array_elements(c.definition->'actions') a
    WHERE a->>'id' IS NOT NULL
    GROUP BY 1, 2, 3, 4
  ) button
  GROUP BY app_id, category_id, action_id;
  DELETE FROM projection.version WHERE (schema_name, leader) = ('baseline', 'notification');
END $$;
