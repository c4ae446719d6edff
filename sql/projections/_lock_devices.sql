-- Locks devices for a batch of a version, until the transaction ends: none is erased meanwhile.
--
-- Erasure, which rewrites rows of projections by other means, holds lock.still exclusively: no batch of any version is under
-- way then. Retention holds it shared. A batch of a version that is not in use may be long, and meets events that an erasure
-- is changing: it holds lock.background first, for which erasure waits while batches of the versions in use go on.
--
-- A batch waits here before its time limit begins: one that gave up after a part of it would lose its place in the queue to the
-- next erasure, and where erasures follow one another no batch would get its turn.
CREATE OR REPLACE FUNCTION projection.lock_devices(version text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF version <> 'projection' THEN
    PERFORM lock.shared('background');
  END IF;
  PERFORM lock.shared('still');
END $$;
