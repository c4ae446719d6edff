-- The advisory lock that a run of a cursor holds.
CREATE OR REPLACE FUNCTION export.cursor_lock(cursor_name text) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$ SELECT hashtextextended('notilog export cursor ' || cursor_name, 0) $$;
