-- An app's own dimensions: keys of `attributes` whose values notifications are counted by. The rows of dropped events have none:
-- the log that they came from is gone. The baseline of their group is registered again by the next retention, once the group is
-- rebuilt.

ALTER TABLE notilog.app ADD COLUMN dimensions text[] NOT NULL DEFAULT '{}' CHECK (cardinality(dimensions) <= 4);
COMMENT ON COLUMN notilog.app.dimensions IS 'The keys of attributes that are its own dimensions.';

-- Which events each version of `notification` counts by them: those after the position at which a key was named, up to the one at
-- which it no longer was. A version that begins later counts all events by the keys of its time. So what a version holds is a
-- function of the events and of these rows, and its verification counts by the same.
ALTER TABLE projection.version ADD UNIQUE (version_id);
CREATE TABLE notilog.dimension (
  version_id     bigint           NOT NULL REFERENCES projection.version (version_id) ON DELETE CASCADE,
  app_id         integer          NOT NULL REFERENCES notilog.app,
  key            text COLLATE "C" NOT NULL,
  after_position bigint           NOT NULL,
  upto_position  bigint,                     -- null: to come
  PRIMARY KEY (version_id, app_id, key, after_position)
);
COMMENT ON TABLE notilog.dimension IS 'The own dimensions of apps, and which events each version of a projection counts by them.';
COMMENT ON COLUMN notilog.dimension.version_id IS 'The version, see projection.version.';
COMMENT ON COLUMN notilog.dimension.app_id IS 'The app, see notilog.app.';
COMMENT ON COLUMN notilog.dimension.key IS 'The key of attributes.';
COMMENT ON COLUMN notilog.dimension.after_position IS 'Events after this position are counted by it.';
COMMENT ON COLUMN notilog.dimension.upto_position IS 'Events up to this position are counted by it; null for those to come.';

DO $$
BEGIN
  IF to_regclass('baseline.notification') IS NULL THEN
    RETURN;
  END IF;
  ALTER TABLE baseline.notification ADD COLUMN attributes jsonb;
  DELETE FROM projection.version WHERE (schema_name, leader) = ('baseline', 'notification');
END $$;
