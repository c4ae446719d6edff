-- oldest service: 21
-- Exports give what tells tokens of one type apart its own name: all of it stood in activity_id. The rows keep their row_id.
DO $$
BEGIN
  IF to_regclass('export.device_tokens_row') IS NULL THEN
    RETURN;
  END IF;
  ALTER TABLE export.device_tokens_row
    ADD COLUMN attributes_type text COLLATE "C" NOT NULL DEFAULT '', ADD COLUMN control_kind text COLLATE "C" NOT NULL DEFAULT '',
    DROP CONSTRAINT device_tokens_row_pkey;
  UPDATE export.device_tokens_row
  SET activity_id = '', attributes_type = CASE type WHEN 'push_to_start' THEN activity_id ELSE '' END,
    control_kind = CASE type WHEN 'control' THEN activity_id ELSE '' END
  WHERE type IN ('push_to_start', 'control');
  ALTER TABLE export.device_tokens_row
    ADD PRIMARY KEY (app_id, device_id, provider, type, topic, environment, activity_id, attributes_type, control_kind, token);
END $$;
