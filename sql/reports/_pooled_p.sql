-- The two-sided p value of two independent proportions being the same: the z test with their pooled variance; null where that
-- is 0 or one of them had no trials.
CREATE OR REPLACE FUNCTION reporting.pooled_p(successes bigint, trials bigint, other_successes bigint, other_trials bigint)
RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT reporting.chi_square_tail(
    (successes / trials::double precision - other_successes / other_trials::double precision) ^ 2
      / (rate * (1 - rate) * (1 / trials::double precision + 1 / other_trials::double precision)), 1)
  FROM (SELECT (successes + other_successes) / nullif(trials + other_trials, 0)::double precision AS rate) pooled
  WHERE trials > 0 AND other_trials > 0 AND rate > 0 AND rate < 1
$$;
