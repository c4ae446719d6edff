-- Whether a table has a column: one that came with this release is not there until its group is rebuilt.
CREATE OR REPLACE FUNCTION reporting.has_column("table" text, "column" text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM pg_attribute a WHERE a.attrelid = to_regclass("table") AND a.attname = "column" AND NOT a.attisdropped)
$$;
