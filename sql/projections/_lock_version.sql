-- Takes the lock of a version of a group for the rest of the transaction. A batch of the version holds it, and the swap holds that of
-- the version in use. Take it before any other lock.
CREATE OR REPLACE FUNCTION projection.lock_version(version text, leader text) RETURNS void
LANGUAGE sql AS $$ SELECT lock.named(format('version %s %s', version, leader)) $$;

-- Takes it if no session holds it; returns whether it did.
CREATE OR REPLACE FUNCTION projection.try_lock_version(version text, leader text) RETURNS boolean
LANGUAGE sql AS $$ SELECT lock.try_named(format('version %s %s', version, leader)) $$;
