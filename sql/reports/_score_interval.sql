-- The 95 % Wilson score interval of a rate that was found in so many trials; nulls where there were none.
-- Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).
CREATE OR REPLACE FUNCTION reporting.score_interval(
  rate double precision, trials double precision, OUT low double precision, OUT high double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN rate = 0 THEN 0 ELSE (centre - half) / scale END, CASE WHEN rate = 1 THEN 1 ELSE (centre + half) / scale END
  FROM (
    SELECT rate + z * z / (2 * n) AS centre, z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) AS half, 1 + z * z / n AS scale
    FROM (SELECT nullif(trials, 0) AS n, 1.959963984540054::double precision AS z) input
  ) parts
  WHERE trials > 0
$$;
