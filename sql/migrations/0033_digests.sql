-- oldest service: 21
-- Digests: the figures of a saved view by mail, each day or each week. What is delivered is of alerts or of digests from here on; a
-- service that knows alerts alone goes on with those, by the functions it knows (notilog.claim_alert_deliveries).

CREATE TABLE notilog.digest (
  digest_id  bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app_id     integer     NOT NULL REFERENCES notilog.app,
  view       text        NOT NULL,
  weekday    smallint    CHECK (weekday BETWEEN 1 AND 7),
  at         time        NOT NULL,
  receiver   text        NOT NULL,
  due_at     timestamptz NOT NULL,
  try_at     timestamptz NOT NULL,
  made_at    timestamptz,
  last_error text,
  created_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (app_id, view) REFERENCES notilog.saved_view (app_id, name) ON DELETE CASCADE,
  UNIQUE NULLS NOT DISTINCT (app_id, view, receiver, weekday)
);
CREATE INDEX digest_due ON notilog.digest (try_at);
COMMENT ON TABLE notilog.digest IS 'Digests: the figures of a saved view by mail, each day or each week.';
COMMENT ON COLUMN notilog.digest.digest_id IS 'The digest''s number.';
COMMENT ON COLUMN notilog.digest.app_id IS 'The app, see readable.app.';
COMMENT ON COLUMN notilog.digest.view IS 'The saved view.';
COMMENT ON COLUMN notilog.digest.weekday IS 'The weekday on which it is due, 1 Monday to 7 Sunday; null for each day.';
COMMENT ON COLUMN notilog.digest.at IS 'The time of day at which it is due, in the view''s time zone.';
COMMENT ON COLUMN notilog.digest.receiver IS 'To whom it is delivered.';
COMMENT ON COLUMN notilog.digest.due_at IS 'When it is due next.';
COMMENT ON COLUMN notilog.digest.try_at IS 'When it is made, or tried again.';
COMMENT ON COLUMN notilog.digest.made_at IS 'When it was made last.';
COMMENT ON COLUMN notilog.digest.last_error IS 'Why it could not be made.';
COMMENT ON COLUMN notilog.digest.created_at IS 'When it was added.';

ALTER TABLE notilog.alert_delivery RENAME TO delivery;
ALTER INDEX notilog.alert_delivery_due RENAME TO delivery_due;
ALTER INDEX notilog.alert_delivery_of_app RENAME TO delivery_of_app;
ALTER TABLE notilog.delivery RENAME CONSTRAINT alert_delivery_pkey TO delivery_pkey;
ALTER TABLE notilog.delivery RENAME CONSTRAINT alert_delivery_rule_id_day_receiver_key TO delivery_rule_id_day_receiver_key;
ALTER TABLE notilog.delivery RENAME CONSTRAINT alert_delivery_state_check TO delivery_state_check;
ALTER TABLE notilog.delivery RENAME CONSTRAINT alert_delivery_app_id_fkey TO delivery_app_id_fkey;
ALTER TABLE notilog.delivery RENAME CONSTRAINT alert_delivery_rule_id_fkey TO delivery_rule_id_fkey;
ALTER TABLE notilog.delivery ALTER COLUMN rule_id DROP NOT NULL;
ALTER TABLE notilog.delivery ADD COLUMN digest_id bigint REFERENCES notilog.digest ON DELETE CASCADE;
ALTER TABLE notilog.delivery ADD CHECK (num_nonnulls(rule_id, digest_id) = 1);
CREATE INDEX delivery_of_digest ON notilog.delivery (digest_id) WHERE digest_id IS NOT NULL;
COMMENT ON TABLE notilog.delivery IS 'What a rule of alerts raised of a day, or a digest, for one receiver.';
COMMENT ON COLUMN notilog.delivery.rule_id IS 'The rule; null for a digest.';
COMMENT ON COLUMN notilog.delivery.digest_id IS 'The digest; null for an alert.';
COMMENT ON COLUMN notilog.delivery.day IS 'The day; of a digest the first one.';
COMMENT ON COLUMN notilog.delivery.created_at IS 'When it was made.';
