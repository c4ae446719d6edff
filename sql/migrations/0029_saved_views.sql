-- oldest service: 21
-- Questions that an app's people ask again: a report with its parameters, under a name.

CREATE TABLE notilog.saved_view (
  app_id     integer     NOT NULL REFERENCES notilog.app,
  name       text        NOT NULL CHECK (name <> '' AND octet_length(name) <= 100),
  report     text        NOT NULL,
  parameters jsonb       NOT NULL CHECK (jsonb_typeof(parameters) = 'object'),
  position   bigint      NOT NULL,
  saved_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (app_id, name)
);
COMMENT ON TABLE notilog.saved_view IS 'Saved views: a report and its parameters, under a name.';
COMMENT ON COLUMN notilog.saved_view.app_id IS 'The app, see readable.app.';
COMMENT ON COLUMN notilog.saved_view.name IS 'The view''s name.';
COMMENT ON COLUMN notilog.saved_view.report IS 'The report.';
COMMENT ON COLUMN notilog.saved_view.parameters IS 'Each parameter''s name with its values, as /v1/reports takes them.';
COMMENT ON COLUMN notilog.saved_view.position IS 'The settled position of the log when this definition was saved.';
COMMENT ON COLUMN notilog.saved_view.saved_at IS 'When this definition was saved.';
