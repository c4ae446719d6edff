-- oldest service: 21
-- What an app's people noted at a time, such as a release: drawn on axes of time. It is no event and tells of no device, so
-- neither erasure nor retention touches it.

CREATE TABLE notilog.annotation (
  annotation_id bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app_id        integer     NOT NULL REFERENCES notilog.app,
  at            timestamptz NOT NULL CHECK (isfinite(at)),
  label         text        NOT NULL CHECK (label <> '' AND octet_length(label) <= 200),
  created_at    timestamptz NOT NULL DEFAULT now(),
  UNIQUE (app_id, at, label)
);
COMMENT ON TABLE notilog.annotation IS 'What was noted at a time, such as a release.';
COMMENT ON COLUMN notilog.annotation.annotation_id IS 'The annotation''s number.';
COMMENT ON COLUMN notilog.annotation.app_id IS 'The app, see readable.app.';
COMMENT ON COLUMN notilog.annotation.at IS 'The time that it is about.';
COMMENT ON COLUMN notilog.annotation.label IS 'What was noted.';
COMMENT ON COLUMN notilog.annotation.created_at IS 'When it was noted.';
