-- Notifications counted by cohort and category, and by day, category and one more dimension. A function of: the table
-- notification. A report adds these up where whole buckets lie in its range, and reads notification at the edges.
--
-- `dimension` is '' for the rows by category alone, which come by quarter hour and by day (UTC); the rows of the other
-- dimensions come by day. A null value of a dimension is ''. Each lane counts in rows of its own: add them up.
CREATE TABLE IF NOT EXISTS engagement (
  app_id    integer          NOT NULL,
  dimension text COLLATE "C" NOT NULL,
  grain     text COLLATE "C" NOT NULL,   -- quarter_hour or day
  bucket    timestamptz      NOT NULL,   -- start of the quarter hour or day that cohort_at lies in
  category  text COLLATE "C" NOT NULL,
  value     text COLLATE "C" NOT NULL,
  notifications       bigint NOT NULL,   -- rows of notification; at 0 the row goes
  requested           bigint NOT NULL,
  failed              bigint NOT NULL,
  reached             bigint NOT NULL,
  reached_seen        bigint NOT NULL,
  reached_assumed     bigint NOT NULL,
  delivered           bigint NOT NULL,
  presented           bigint NOT NULL,
  suppressed          bigint NOT NULL,
  silent              bigint NOT NULL,
  responded           bigint NOT NULL,
  opened              bigint NOT NULL,
  acted               bigint NOT NULL,
  replied             bigint NOT NULL,
  app_opened          bigint NOT NULL,
  dismissed           bigint NOT NULL,
  withdrawn           bigint NOT NULL,
  response_only       bigint NOT NULL,
  delivered_seen      bigint NOT NULL,
  presented_seen      bigint NOT NULL,
  dismiss_observable  bigint NOT NULL,
  dismiss_observed    bigint NOT NULL,   -- dismissed among dismiss_observable
  delivery_observable bigint NOT NULL,
  delivery_observed   bigint NOT NULL,   -- delivered among delivery_observable
  updates             bigint NOT NULL,
  duplicate_callbacks bigint NOT NULL,
  lane      smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (app_id, dimension, grain, bucket, category, value, lane)
) WITH (fillfactor = 70);

-- First responses, and dismissals of those that are dismiss_observable, by how long they took, in the same buckets; those
-- known only by their response are left out.
CREATE TABLE IF NOT EXISTS engagement_latency (
  app_id     integer          NOT NULL,
  dimension  text COLLATE "C" NOT NULL,
  grain      text COLLATE "C" NOT NULL,
  bucket     timestamptz      NOT NULL,
  category   text COLLATE "C" NOT NULL,
  value      text COLLATE "C" NOT NULL,
  outcome    text COLLATE "C" NOT NULL,   -- opened, acted, replied or dismissed
  app_opened boolean          NOT NULL,
  reached    boolean          NOT NULL,
  timed      boolean          NOT NULL,   -- from shown_at; else from cohort_at, which percentiles leave out
  latency    integer          NOT NULL,   -- projection.latency_bucket
  responses  bigint           NOT NULL,
  lane       smallint         NOT NULL DEFAULT 0,
  PRIMARY KEY (app_id, dimension, grain, bucket, category, value, outcome, app_opened, reached, timed, latency, lane)
) WITH (fillfactor = 70);
