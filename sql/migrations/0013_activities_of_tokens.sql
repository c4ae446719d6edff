-- oldest service: 12
-- Exports tell the tokens of a device's Live Activities apart, once there are any that were given out.
ALTER TABLE IF EXISTS export.device_tokens_row
  ADD COLUMN activity_id text COLLATE "C" NOT NULL DEFAULT '',
  DROP CONSTRAINT device_tokens_row_pkey,
  ADD PRIMARY KEY (app_id, device_id, provider, type, topic, environment, activity_id, token);
