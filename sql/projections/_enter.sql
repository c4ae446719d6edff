-- Enters a version of a group to apply so many positions: its tables, its events and its settings are those of the session
-- until the transaction ends, and no device is erased.
CREATE OR REPLACE FUNCTION projection.enter(version text, leader text, positions bigint, applied_before bigint, received_before timestamptz,
  lane smallint DEFAULT 0, lanes smallint DEFAULT 1) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM projection.lock_devices(version);
  PERFORM projection.use(version, leader, lane, lanes),
    set_config('notilog.applied', coalesce(applied_before::text, ''), true),
    set_config('notilog.received_before', coalesce(received_before::text, ''), true);
END $$;

-- Has the session see a lane of a version of a group, until the transaction ends: its tables come first, and projection.batch gives its
-- events.
CREATE OR REPLACE FUNCTION projection.use(version text, leader text, lane smallint, lanes smallint) RETURNS void
LANGUAGE sql AS $$
  SELECT set_config('search_path', format('%I, projection, log, pg_catalog, pg_temp', version), true),
    set_config('notilog.projection', leader, true), set_config('notilog.lane', lane::text, true),
    set_config('notilog.lanes', lanes::text, true)
$$;
