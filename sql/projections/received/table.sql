-- Events counted by when the server received them, by quarter hour. A function of: every event with its received_at. It
-- outlives the log's partitions.
CREATE TABLE IF NOT EXISTS received (
  app_id         integer          NOT NULL,
  bucket         timestamptz      NOT NULL,   -- start of the quarter hour of received_at
  kind           text COLLATE "C" NOT NULL,
  events         bigint           NOT NULL,
  clamped        bigint           NOT NULL,   -- with time_clamped
  first_position bigint           NOT NULL,   -- where in the log they are, for a reader of less than the quarter hour
  last_position  bigint           NOT NULL,
  PRIMARY KEY (app_id, bucket, kind)
) WITH (fillfactor = 70);
COMMENT ON COLUMN received.first_position IS 'book-keeping';
COMMENT ON COLUMN received.last_position IS 'book-keeping';
