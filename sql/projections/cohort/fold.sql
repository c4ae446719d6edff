-- projection: cohort
-- with: notification
-- after: notification

-- The least of the windows that reports answer exactly that a response came in: 1 to 6 for 1 h, 6 h, 1, 3, 7 and 30 days,
-- 7 where it came later, 0 where none came.
CREATE OR REPLACE FUNCTION response_window(from_at timestamptz, to_at timestamptz) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (CASE
    WHEN to_at IS NULL THEN 0
    WHEN to_at - from_at <= interval '1 hour' THEN 1
    WHEN to_at - from_at <= interval '6 hours' THEN 2
    WHEN to_at - from_at <= interval '1 day' THEN 3
    WHEN to_at - from_at <= interval '3 days' THEN 4
    WHEN to_at - from_at <= interval '7 days' THEN 5
    WHEN to_at - from_at <= interval '30 days' THEN 6
    ELSE 7 END)::smallint
$$;
