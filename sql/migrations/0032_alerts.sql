-- oldest service: 21
-- Rules over the cells of reports, what they raised, and what was delivered of it. No event, and of no device.

CREATE TABLE notilog.alert_rule (
  rule_id      bigint           GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app_id       integer          NOT NULL REFERENCES notilog.app,
  name         text             NOT NULL CHECK (name <> '' AND octet_length(name) <= 100),
  report       text             NOT NULL,
  parameters   jsonb            NOT NULL CHECK (jsonb_typeof(parameters) = 'object'),
  metric       text             NOT NULL,
  condition    text             NOT NULL CHECK (condition IN ('below', 'above', 'falls', 'rises', 'changes')),
  bound        double precision CHECK ((bound IS NOT NULL) = (condition IN ('below', 'above'))),
  least_volume bigint           NOT NULL CHECK (least_volume >= 0),
  wait         interval         NOT NULL CHECK (wait BETWEEN '0' AND '400 days'),
  tz           text             NOT NULL,
  receivers    text[]           NOT NULL CHECK (cardinality(receivers) <= 5),
  next_day     date             NOT NULL,
  due_at       timestamptz      NOT NULL,
  judged_at    timestamptz,
  last_error   text,
  created_at   timestamptz      NOT NULL DEFAULT now(),
  UNIQUE (app_id, name)
);
CREATE INDEX alert_rule_due ON notilog.alert_rule (due_at);
COMMENT ON TABLE notilog.alert_rule IS 'Rules of alerts: a condition on a column of a report, asked of each day.';
COMMENT ON COLUMN notilog.alert_rule.rule_id IS 'The rule''s number.';
COMMENT ON COLUMN notilog.alert_rule.app_id IS 'The app, see readable.app.';
COMMENT ON COLUMN notilog.alert_rule.name IS 'The rule''s name.';
COMMENT ON COLUMN notilog.alert_rule.report IS 'The report.';
COMMENT ON COLUMN notilog.alert_rule.parameters IS 'Each parameter''s name with its values, as /v1/reports takes them.';
COMMENT ON COLUMN notilog.alert_rule.metric IS 'The report''s column that is judged.';
COMMENT ON COLUMN notilog.alert_rule.condition IS 'Against a bound: below, above; against the usual: falls, rises, changes.';
COMMENT ON COLUMN notilog.alert_rule.bound IS 'The bound of below and above.';
COMMENT ON COLUMN notilog.alert_rule.least_volume IS 'Cells of less volume are not judged.';
COMMENT ON COLUMN notilog.alert_rule.wait IS 'How long after its end a day is judged.';
COMMENT ON COLUMN notilog.alert_rule.tz IS 'The time zone of days.';
COMMENT ON COLUMN notilog.alert_rule.receivers IS 'To whom alerts are delivered.';
COMMENT ON COLUMN notilog.alert_rule.next_day IS 'The day that is judged next.';
COMMENT ON COLUMN notilog.alert_rule.due_at IS 'When that day is judged.';
COMMENT ON COLUMN notilog.alert_rule.judged_at IS 'When a day was judged last.';
COMMENT ON COLUMN notilog.alert_rule.last_error IS 'Why the next day could not be judged.';
COMMENT ON COLUMN notilog.alert_rule.created_at IS 'When the rule was made.';

CREATE TABLE notilog.alert_figure (
  rule_id bigint  NOT NULL REFERENCES notilog.alert_rule ON DELETE CASCADE,
  app_id  integer NOT NULL REFERENCES notilog.app,
  cell    jsonb   NOT NULL,
  day     date    NOT NULL,
  value   double precision,
  volume  bigint  NOT NULL,
  devices bigint,
  in_time boolean NOT NULL,
  is_out  boolean NOT NULL,
  PRIMARY KEY (rule_id, day, cell)
);
COMMENT ON TABLE notilog.alert_figure IS 'The figures that were judged, as they were when they were judged: all of equal age.';
COMMENT ON COLUMN notilog.alert_figure.rule_id IS 'The rule.';
COMMENT ON COLUMN notilog.alert_figure.app_id IS 'The app, see readable.app.';
COMMENT ON COLUMN notilog.alert_figure.cell IS 'The key of the report''s row.';
COMMENT ON COLUMN notilog.alert_figure.day IS 'The day.';
COMMENT ON COLUMN notilog.alert_figure.value IS 'The value of the rule''s column.';
COMMENT ON COLUMN notilog.alert_figure.volume IS 'What it was computed of.';
COMMENT ON COLUMN notilog.alert_figure.devices IS 'The devices of the row; null where the report does not say.';
COMMENT ON COLUMN notilog.alert_figure.in_time IS 'Whether it was judged within an hour of when it was due.';
COMMENT ON COLUMN notilog.alert_figure.is_out IS 'Whether the condition held: such a figure is not of the usual.';

CREATE TABLE notilog.alert (
  alert_id    bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  rule_id     bigint      NOT NULL REFERENCES notilog.alert_rule ON DELETE CASCADE,
  app_id      integer     NOT NULL REFERENCES notilog.app,
  cell        jsonb       NOT NULL,
  day         date        NOT NULL,
  figures     jsonb       NOT NULL,
  position    bigint      NOT NULL,
  raised_at   timestamptz NOT NULL DEFAULT now(),
  resolved_at timestamptz
);
CREATE UNIQUE INDEX alert_open ON notilog.alert (rule_id, cell) WHERE resolved_at IS NULL;
CREATE INDEX alert_of_app ON notilog.alert (app_id, alert_id);
CREATE INDEX alert_of_rule ON notilog.alert (rule_id);
COMMENT ON TABLE notilog.alert IS 'Alerts: one of a rule and cell until it is resolved.';
COMMENT ON COLUMN notilog.alert.alert_id IS 'The alert''s number.';
COMMENT ON COLUMN notilog.alert.rule_id IS 'The rule that raised it.';
COMMENT ON COLUMN notilog.alert.app_id IS 'The app, see readable.app.';
COMMENT ON COLUMN notilog.alert.cell IS 'The key of the report''s row.';
COMMENT ON COLUMN notilog.alert.day IS 'The day that raised it.';
COMMENT ON COLUMN notilog.alert.figures IS 'The value, its volume, and what it was judged by.';
COMMENT ON COLUMN notilog.alert.position IS 'The position of the report that raised it.';
COMMENT ON COLUMN notilog.alert.raised_at IS 'When it was raised.';
COMMENT ON COLUMN notilog.alert.resolved_at IS 'When it was resolved.';

CREATE TABLE notilog.alert_delivery (
  delivery_id uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  rule_id     bigint      NOT NULL REFERENCES notilog.alert_rule ON DELETE CASCADE,
  app_id      integer     NOT NULL REFERENCES notilog.app,
  day         date        NOT NULL,
  receiver    text        NOT NULL,
  message     jsonb       NOT NULL,
  state       text        NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts    integer     NOT NULL DEFAULT 0,
  next_at     timestamptz NOT NULL DEFAULT now(),
  last_error  text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  ended_at    timestamptz,
  UNIQUE (rule_id, day, receiver)
);
CREATE INDEX alert_delivery_due ON notilog.alert_delivery (next_at) WHERE state = 'pending';
CREATE INDEX alert_delivery_of_app ON notilog.alert_delivery (app_id, created_at);
COMMENT ON TABLE notilog.alert_delivery IS 'What a rule raised of a day, for one receiver.';
COMMENT ON COLUMN notilog.alert_delivery.delivery_id IS 'The id by which a receiver knows a repeat.';
COMMENT ON COLUMN notilog.alert_delivery.rule_id IS 'The rule.';
COMMENT ON COLUMN notilog.alert_delivery.app_id IS 'The app, see readable.app.';
COMMENT ON COLUMN notilog.alert_delivery.day IS 'The day.';
COMMENT ON COLUMN notilog.alert_delivery.receiver IS 'The receiver.';
COMMENT ON COLUMN notilog.alert_delivery.message IS 'What is delivered: the same in every attempt.';
COMMENT ON COLUMN notilog.alert_delivery.state IS 'pending, delivered, or failed for good.';
COMMENT ON COLUMN notilog.alert_delivery.attempts IS 'How often it was tried.';
COMMENT ON COLUMN notilog.alert_delivery.next_at IS 'When it is tried again.';
COMMENT ON COLUMN notilog.alert_delivery.last_error IS 'Why the newest attempt failed.';
COMMENT ON COLUMN notilog.alert_delivery.created_at IS 'When it was raised.';
COMMENT ON COLUMN notilog.alert_delivery.ended_at IS 'When it was delivered, or given up.';
