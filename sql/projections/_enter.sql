-- Enters a version of a group to apply so many positions: its tables, its events and its settings are those of the session
-- until the transaction ends.
--
-- Erasure, which rewrites rows of projections by other means, holds lock.still exclusively: no batch of any version is under
-- way then. Retention holds it shared: no device is erased meanwhile. A batch of a version that is not in use may be long, and
-- meets events that an erasure is changing: it holds lock.background first, for which erasure waits while batches of the
-- versions in use go on.
CREATE OR REPLACE FUNCTION projection.enter(version text, leader text, positions bigint, applied_before bigint, received_before timestamptz,
  lane smallint DEFAULT 0, lanes smallint DEFAULT 1) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF version <> 'projection' THEN
    PERFORM lock.shared('background');
  END IF;
  PERFORM lock.shared('still');
  PERFORM set_config('search_path', format('%I, projection, log, pg_catalog, pg_temp', version), true),
    set_config('notilog.projection', leader, true), set_config('notilog.lane', lane::text, true),
    set_config('notilog.lanes', lanes::text, true),
    set_config('notilog.applied', coalesce(applied_before::text, ''), true),
    set_config('notilog.received_before', coalesce(received_before::text, ''), true);
END $$;
