-- The 95 % Wilson score interval of a proportion; nulls where there were no trials.
-- Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).
CREATE OR REPLACE FUNCTION report.wilson(successes bigint, trials bigint, OUT low double precision, OUT high double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT
    CASE WHEN successes = 0 AND trials > 0 THEN 0 ELSE (centre - half) / scale END,
    CASE WHEN successes = trials AND trials > 0 THEN 1 ELSE (centre + half) / scale END
  FROM (
    SELECT p + z * z / (2 * n) AS centre, z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) AS half, 1 + z * z / n AS scale
    FROM (
      SELECT successes / nullif(trials, 0)::double precision AS p, nullif(trials, 0)::double precision AS n,
        1.959963984540054::double precision AS z
    ) input
  ) parts
$$;
