-- oldest service: 21
-- device_token keeps of requests to tokens that came to an end when they were due, and the notification that they make. The baseline
-- has no requests, and is registered again by the next retention, once the group is rebuilt.
DO $$
BEGIN
  IF to_regclass('baseline.token_request') IS NULL THEN
    RETURN;
  END IF;
  DELETE FROM baseline.token_request;
  ALTER TABLE baseline.token_request
    ADD COLUMN due_at          timestamptz NOT NULL,
    ADD COLUMN notification_id text COLLATE "C",
    ADD COLUMN occurrence      timestamptz NOT NULL;
  DELETE FROM projection.version WHERE (schema_name, leader) = ('baseline', 'device_token');
END $$;
