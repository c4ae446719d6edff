-- How notifications ended otherwise than by a person's hand: refused, or taken away. A function of: push_results that
-- are no 200, requests with `error`, removals of delivered notifications.
--
-- Few notifications end so, and only some reports ask, so that this is kept beside `notification`, under its key, and
-- is applied on its own: a report that reads both goes by the one that is behind.
CREATE TABLE IF NOT EXISTS notification_ending (
  app_id          integer          NOT NULL,
  device_id       text COLLATE "C" NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  occurrence      timestamptz      NOT NULL,
  last_rejection  bytea,         -- a claim: dead_token, or `rejected: ` and the provider's reason, else its status
  last_error      bytea,         -- a claim: why the system refused it
  removed_at      timestamptz,   -- earliest removal by the app of the delivered notification, replacement aside
  gone_at         timestamptz,   -- earliest sweep of the delivered list that missed it
  PRIMARY KEY (app_id, device_id, notification_id, occurrence)
);
