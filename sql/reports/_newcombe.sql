-- The 95 % interval of the difference of two independent rates: Newcombe's hybrid score interval, of the score intervals of
-- both. Nulls where either has no trials.
-- Source: R. G. Newcombe, Interval estimation for the difference between independent proportions, Statistics in Medicine 17
-- (1998), method 10.
CREATE OR REPLACE FUNCTION reporting.newcombe(
  rate double precision, trials double precision, other_rate double precision, other_trials double precision)
RETURNS TABLE (low double precision, high double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1 AS $$
  SELECT rate - other_rate - sqrt((rate - a.low) ^ 2 + (b.high - other_rate) ^ 2),
    rate - other_rate + sqrt((a.high - rate) ^ 2 + (other_rate - b.low) ^ 2)
  FROM reporting.score_interval(rate, trials) a, reporting.score_interval(other_rate, other_trials) b
$$;
