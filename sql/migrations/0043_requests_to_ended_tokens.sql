-- oldest service: 21
-- device_token keeps the requests to tokens that came to an end. The baseline has no requests: what it holds is dropped. But it knows
-- which tokens may have come to an end: of these it is not known since when, so their requests are looked for in the log. It is
-- registered again by the next retention, once the group is rebuilt.
DO $$
BEGIN
  IF to_regclass('baseline.device_token') IS NULL THEN
    RETURN;
  END IF;
  CREATE TABLE baseline.token_end (
    app_id    integer          NOT NULL,
    device_id text COLLATE "C" NOT NULL,
    token     bytea            NOT NULL,
    ended_at  timestamptz      NOT NULL,
    is_whole  boolean          NOT NULL,
    PRIMARY KEY (app_id, device_id, token)
  );
  CREATE INDEX token_end_token ON baseline.token_end (app_id, token, device_id);
  INSERT INTO baseline.token_end
  SELECT DISTINCT app_id, device_id, token, timestamptz '-infinity', false
  FROM baseline.device_token
  WHERE ended_at IS NOT NULL OR last_registered_at > registered_at;
  CREATE TABLE baseline.token_request (
    app_id      integer          NOT NULL,
    device_id   text COLLATE "C" NOT NULL,
    token       bytea            NOT NULL,
    at          timestamptz      NOT NULL,
    id          uuid             NOT NULL,
    environment text COLLATE "C",
    topic       text COLLATE "C",
    received_at timestamptz      NOT NULL,
    PRIMARY KEY (app_id, device_id, token, at, id)
  );
  CREATE INDEX token_request_token ON baseline.token_request (app_id, token);
  CREATE TABLE baseline.token_newest (
    app_id      integer     NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (app_id)
  ) WITH (fillfactor = 80);
  DELETE FROM projection.version WHERE (schema_name, leader) = ('baseline', 'device_token');
END $$;
