-- Locks an app's quarantine against other changes, for the rest of the transaction.
CREATE OR REPLACE FUNCTION log.quarantine_lock(app integer) RETURNS void
LANGUAGE sql AS $$ SELECT lock.named('quarantine ' || app) $$;
