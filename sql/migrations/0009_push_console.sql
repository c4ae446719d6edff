-- oldest service: 7
-- What Apple's Push Notifications Console counted, as `notilog import apns-csv` takes it from an export. It is no event, tells
-- of no device, and so neither erasure nor retention touches it.

CREATE TABLE notilog.push_console (
  app_id      integer     NOT NULL,
  at          timestamptz NOT NULL,   -- "Date (UTC)": the beginning of the hour or day that was counted
  topic       text        NOT NULL,   -- the bundle id whose metrics they are; '' where it was not said
  environment text        NOT NULL CHECK (environment IN ('sandbox', 'production')),
  push_type   text        NOT NULL,   -- as Apple writes it
  status      text        NOT NULL,   -- as Apple writes it
  count       bigint      NOT NULL CHECK (count >= 0),   -- rounded by Apple
  imported_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (app_id, at, topic, environment, push_type, status)
);
