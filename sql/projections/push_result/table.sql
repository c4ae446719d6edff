-- Answers of push providers, counted by quarter hour. A function of: push_result events. A report adds these up where
-- whole quarter hours lie in its range; where only a part does, it reads the log.
CREATE TABLE IF NOT EXISTS push_result (
  app_id      integer          NOT NULL,
  bucket      timestamptz      NOT NULL,   -- start of the quarter hour
  provider    text COLLATE "C" NOT NULL,   -- '' where it was not said, as with the other texts
  status      smallint         NOT NULL,   -- of HTTP; 0 where it was not said
  reason      text COLLATE "C" NOT NULL,   -- as the provider put it
  type        text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  topic       text COLLATE "C" NOT NULL,
  results     bigint           NOT NULL,
  first_at    timestamptz      NOT NULL,
  last_at     timestamptz      NOT NULL,
  PRIMARY KEY (app_id, bucket, provider, status, reason, type, environment, topic)
) WITH (fillfactor = 80);

-- Where in the log the results of a quarter hour are. It keeps books, and is no function of the events alone.
CREATE TABLE IF NOT EXISTS push_result_place (
  app_id         integer     NOT NULL,
  bucket         timestamptz NOT NULL,
  first_position bigint      NOT NULL,
  last_position  bigint      NOT NULL,
  PRIMARY KEY (app_id, bucket)
) WITH (fillfactor = 80);
COMMENT ON COLUMN push_result_place.first_position IS 'book-keeping';
COMMENT ON COLUMN push_result_place.last_position IS 'book-keeping';
