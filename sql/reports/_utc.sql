-- A time as answers write it: RFC 3339 in UTC, with microseconds.
CREATE OR REPLACE FUNCTION reporting.utc(at timestamptz) RETURNS text
LANGUAGE sql STABLE STRICT AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;
