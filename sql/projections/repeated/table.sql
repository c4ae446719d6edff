-- Events that say again what was said: requests beyond the first received of their notification, callbacks beyond the first
-- received of their press (of an action that a content extension handled: all). Counted by when the server received them,
-- by quarter hour. A function of: request and action_response events with their received_at.
CREATE TABLE IF NOT EXISTS repeated (
  app_id integer          NOT NULL,
  bucket timestamptz      NOT NULL,   -- start of the quarter hour of received_at
  kind   text COLLATE "C" NOT NULL,   -- request or action_response
  events bigint           NOT NULL,   -- at 0 the row goes
  lane   smallint         NOT NULL DEFAULT 0,   -- each lane counts in rows of its own
  PRIMARY KEY (app_id, bucket, kind, lane)
) WITH (fillfactor = 70);
