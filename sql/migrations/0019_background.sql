-- Work on projections that no version in use waits for, and that may take long, holds it shared: batches of other versions
-- and of the baseline, and retention. Held exclusively, only short work holds lock.still.
CREATE TABLE lock.background ();
-- When a session may wait for lock.still again, in milliseconds since 1970 (lock.stop_batches). A sequence, because its value
-- is visible at once and survives a rollback.
CREATE SEQUENCE lock.next_wait;
