-- The tables that COPY is measured into, with the columns and indexes that the log and the identity table had before the engine of
-- folds: a limit that moves with our own tables would hide what they cost.
DROP TABLE IF EXISTS limit_event, limit_identity;
CREATE TABLE limit_event (
  position        bigint      NOT NULL,
  received_at     timestamptz NOT NULL,
  occurred_at     timestamptz NOT NULL,
  effective_at    timestamptz NOT NULL,
  sent_at         timestamptz,
  occurrence      timestamptz,
  id              uuid        NOT NULL,
  app_id          integer     NOT NULL,
  utc_offset      smallint    NOT NULL,
  schema_version  smallint    NOT NULL,
  time_clamped    boolean     NOT NULL,
  kind            text COLLATE "C" NOT NULL,
  device_id       text COLLATE "C" NOT NULL,
  notification_id text COLLATE "C",
  token           bytea,
  data            jsonb       NOT NULL,
  PRIMARY KEY (position, received_at)
);
CREATE INDEX limit_device ON limit_event (app_id, device_id);
CREATE INDEX limit_token ON limit_event (app_id, token) WHERE token IS NOT NULL;
CREATE INDEX limit_registration ON limit_event (app_id, effective_at) WHERE kind = 'category_registration';
CREATE INDEX limit_erasure ON limit_event (position) WHERE kind = 'erasure';
CREATE TABLE limit_identity (
  id          uuid    NOT NULL,
  digest      uuid    NOT NULL,
  device_hash bigint  NOT NULL,
  position    bigint  NOT NULL,
  app_id      integer NOT NULL,
  PRIMARY KEY (id, device_hash, app_id)
);
