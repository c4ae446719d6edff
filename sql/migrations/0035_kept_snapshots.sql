-- oldest service: 21
-- The snapshots of devices with many events, by time: for each version of `notification` that met one inside a period of another
-- value. Without them it would read all events of the device for each. A version that has none yet gathers them when it needs them.
-- What an older service does not add to is deleted by projection.move.
CREATE TABLE projection.kept_snapshot (
  app_id     integer          NOT NULL,
  device_id  text COLLATE "C" NOT NULL,
  version_id bigint           NOT NULL,
  series     text COLLATE "C" NOT NULL,
  at         timestamptz      NOT NULL,
  id         uuid             NOT NULL,
  PRIMARY KEY (app_id, device_id, version_id, series, at, id)
);
COMMENT ON TABLE projection.kept_snapshot IS
  'The snapshots of devices with many events, by time. They keep books of batches: what periods begin with and end with is in device_period.';
COMMENT ON COLUMN projection.kept_snapshot.app_id IS 'The app, see readable.app.';
COMMENT ON COLUMN projection.kept_snapshot.device_id IS 'The device.';
COMMENT ON COLUMN projection.kept_snapshot.version_id IS 'The version that applied them, see projection.version.';
COMMENT ON COLUMN projection.kept_snapshot.series IS 'context or settings.';
COMMENT ON COLUMN projection.kept_snapshot.at IS 'effective_at of the event.';
COMMENT ON COLUMN projection.kept_snapshot.id IS 'The event''s id.';
