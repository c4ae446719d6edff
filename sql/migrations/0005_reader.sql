-- Which database roles may read which apps: row security on the log and the projections looks here (sql/roles.sql).

-- By name, so that a dump can be restored where the role does not exist yet.
CREATE TABLE notilog.reader_app (
  role_name  name        NOT NULL,
  app_id     integer     NOT NULL REFERENCES notilog.app,
  granted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (role_name, app_id)
);
