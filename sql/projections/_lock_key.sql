-- The advisory lock of a version of a group: a batch of it holds it, and of the version that serves whoever swaps it.
CREATE OR REPLACE FUNCTION projection.lock_key(version text, leader text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT hashtextextended('notilog ' || version || ' ' || leader, 0) $$;
