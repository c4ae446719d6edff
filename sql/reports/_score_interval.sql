-- The 95 % Wilson score interval of a rate that was found in so many trials; nulls where there were none. Always one row: as a table it becomes
-- a part of the query that joins it, where a call for each row of a report took longer than what the report counted.
-- Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).
CREATE OR REPLACE FUNCTION reporting.score_interval(rate double precision, trials double precision)
RETURNS TABLE (low double precision, high double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1 AS $$
  SELECT CASE WHEN n > 0 THEN CASE WHEN rate = 0 THEN 0 ELSE (centre - half) / scale END END,
    CASE WHEN n > 0 THEN CASE WHEN rate = 1 THEN 1 ELSE (centre + half) / scale END END
  FROM (
    SELECT n, rate + z * z / (2 * n) AS centre, z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) AS half, 1 + z * z / n AS scale
    FROM (SELECT CASE WHEN trials > 0 THEN trials END AS n, 1.959963984540054::double precision AS z) input
  ) parts
$$;
