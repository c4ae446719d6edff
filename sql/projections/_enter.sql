-- Enters a version of a group: its tables, its events and its settings are those of the session until the transaction ends.
--
-- Erasure, which rewrites rows of projections by other means, holds lock.still exclusively: no batch of any version is under
-- way then. Retention holds it shared: no device is erased meanwhile.
CREATE OR REPLACE FUNCTION projection.enter(version text, leader text, applied_before bigint, received_before timestamptz)
RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock.shared('still');
  PERFORM set_config('search_path', format('%I, projection, log, pg_catalog, pg_temp', version), true),
    set_config('notilog.projection', leader, true),
    set_config('notilog.applied', coalesce(applied_before::text, ''), true),
    set_config('notilog.received_before', coalesce(received_before::text, ''), true);
END $$;
