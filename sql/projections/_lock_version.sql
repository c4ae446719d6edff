-- Takes the lock of a version of a group for the rest of the transaction: a batch of it holds it, and of the version that
-- serves whoever swaps it. Before any other lock.
CREATE OR REPLACE FUNCTION projection.lock_version(version text, leader text) RETURNS void
LANGUAGE sql AS $$ SELECT lock.named(format('version %s %s', version, leader)) $$;

-- Takes it where nobody holds it; tells whether it did.
CREATE OR REPLACE FUNCTION projection.try_lock_version(version text, leader text) RETURNS boolean
LANGUAGE sql AS $$ SELECT lock.try_named(format('version %s %s', version, leader)) $$;
